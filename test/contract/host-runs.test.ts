import { fakeClock } from '../support/fakes/clock.ts'
import { makeFakeFleet } from '../support/fakes/host-runs.ts'
import { hostRunsContract } from './host-runs.contract.ts'

hostRunsContract('in memory', (test) => {
  const clock = fakeClock(Date.parse('2027-01-01T00:00:00Z'))
  const fleet = makeFakeFleet(clock)
  const address = '10.0.0.1'
  test.after(() => fleet.reboot(fleet.host(address)))
  return Promise.resolve({
    runs: fleet,
    target: { label: 'host-a', address, port: 22, user: 'root', privateKey: { reveal: () => '' }, pins: [] },
    nowMs: () => clock.nowMs(),
    reboot: () => fleet.reboot(fleet.host(address)),
  })
})
