// Everything ssh2 would choke on, or misread, is refused here with a name and a reason.
import { SpecError } from '../../errors/spec-error.ts'
import { isFingerprint, isHostKeyType } from '../../execution/host-key.ts'
import type { RemoteCommand, SshTarget } from '../../execution/ports.ts'

export function checkTarget(target: SshTarget): void {
  const refuse = (what: string, reason: string) => {
    throw new SpecError(`Cannot connect to "${target.label}": ${what}`, {
      reason,
      details: { host: target.label },
    })
  }
  if (!/^[A-Za-z0-9._:%[\]-]{1,253}$/.test(target.address) || target.address.startsWith('-')) {
    refuse('its address is malformed, it must be a host name, an IPv4 or an IPv6 address', 'AddressInvalid')
  }
  if (!Number.isInteger(target.port) || target.port < 1 || target.port > 65_535) {
    refuse(`its port is ${String(target.port)}, it must be a whole number from 1 to 65535`, 'PortInvalid')
  }
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,63}$/.test(target.user)) {
    refuse('its user is malformed, it must be a login name', 'UserInvalid')
  }
  for (const pin of target.pins) {
    if (!isFingerprint(pin.fingerprint) || (pin.type !== undefined && !isHostKeyType(pin.type))) {
      refuse(
        'a pinned host key is malformed, it must be a known type and SHA256: with 43 characters',
        'KnownHostInvalid',
      )
    }
  }
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
