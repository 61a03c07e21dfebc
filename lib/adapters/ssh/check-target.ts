// Everything ssh2 would choke on, or misread, is refused here with a name and a reason.
import { SpecError } from '../../errors/spec-error.ts'
import { isFingerprint, isHostKeyType } from '../../execution/host-key.ts'
import type { RemoteCommand, SshTarget } from '../../execution/ports.ts'
import type { HostKeyPin } from '../../hosts/host-record.ts'

interface Flaw {
  readonly reason: string
  readonly state: string
}

export function checkTarget(target: SshTarget): void {
  const flaw = flawOf(target)
  if (flaw === undefined) return
  const { reason, state } = flaw
  throw new SpecError(`Cannot connect to "${target.label}": ${state}`, {
    reason,
    details: { host: target.label },
  })
}

function flawOf({ address, port, user, pins }: SshTarget): Flaw | undefined {
  if (!/^[A-Za-z0-9._:%[\]][A-Za-z0-9._:%[\]-]{0,252}$/.test(address)) {
    const state = 'its address is malformed, it must be a host name, an IPv4 or an IPv6 address'
    return { reason: 'AddressInvalid', state }
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    const state = `its port is ${String(port)}, it must be a whole number from 1 to 65535`
    return { reason: 'PortInvalid', state }
  }
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,63}$/.test(user)) {
    return { reason: 'UserInvalid', state: 'its user is malformed, it must be a login name' }
  }
  if (!pins.every(isSoundPin)) {
    const state = 'a pinned host key is malformed, it must be a known type and SHA256: with 43 characters'
    return { reason: 'KnownHostInvalid', state }
  }
  return undefined
}

function isSoundPin(pin: HostKeyPin): boolean {
  return isFingerprint(pin.fingerprint) && (pin.type === undefined || isHostKeyType(pin.type))
}

export function checkCommand(command: RemoteCommand): void {
  const { connectMs, handshakeMs, authMs, commandMs } = command.budgets
  const numbers = [connectMs, handshakeMs, authMs, commandMs, command.maxOutputBytes]
  if (!numbers.every((value) => Number.isFinite(value) && value > 0)) {
    throw new TypeError(
      `Cannot run "${command.command}": a budget is not positive, every budget must be above 0`,
    )
  }
  if (!/^[\x20-\x7e]+$/.test(command.command)) {
    throw new TypeError('Cannot run a command: it holds more than printable ASCII, it must be plain words')
  }
}

/** `[fd00::1]` as people write it, `fd00::1` as sockets want it. */
export function bareAddress(address: string): string {
  return /^\[.*\]$/.test(address) ? address.slice(1, -1) : address
}
