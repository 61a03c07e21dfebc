import { hostRunsContract } from '../contract/host-runs.contract.ts'
import { someRuns } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd } from '../support/sshd/ssh-host.ts'

hostRunsContract(
  'over a real sshd and bash',
  async (test) => {
    const host = await anSshHost(test)
    return { runs: someRuns(), target: host.target, nowMs: () => Date.now(), reboot: () => host.reboot() }
  },
  needsSshd,
)
