import type { Rule } from '../rule.ts'
import { hasVerb, stops, unitCommands } from '../units.ts'
import type { Invocation } from '../walk/invocation.ts'

export const stopsTunnel: Rule = {
  name: 'StopsTunnel',
  severity: 'error',
  explanation:
    'The SSH session may ride on that device, and the next one may have to: the phase is cut off and the host is out of reach.',
  fix: 'Keep VPN devices and their units; the cluster leaves them alone as well.',
  check({ invocations }) {
    const units = unitCommands(invocations).filter(
      (command) => command.units.some(isTunnelUnit) && (stops(command) || hasVerb(command, 'restart')),
    )
    return [...units, ...invocations.filter(takesDeviceDown)].map(({ line }) => ({
      line,
      message: 'a VPN device is taken down that the session may ride on',
    }))
  },
}

export function isTunnelUnit(unit: string): boolean {
  return /^(?:wg-quick@|wireguard|tailscaled?$|openvpn|strongswan|ipsec$|zerotier-one$|nebula|netbird|cloudflared)/.test(
    unit,
  )
}

const tunnelDevice = /^(?:wg|tun|tap|tailscale|zt|nebula|ipsec|ppp|cilium_wg)[\w.-]*$/

function takesDeviceDown({ program, arguments: args }: Invocation): boolean {
  const words = args.flatMap(({ texts }) => texts)
  if (program === 'wg-quick' || program === 'tailscale' || program === 'ipsec')
    return words.includes('down') || words.includes('stop')
  const isDown = words.some((word) => /^(?:del|delete|down)$/.test(word))
  const isLink = program === 'ip' && words.some((word) => /^l(?:i(?:n(?:k)?)?)?$/.test(word))
  return (
    isDown &&
    (isLink || program === 'ifdown' || program === 'ifconfig') &&
    words.some((word) => tunnelDevice.test(word))
  )
}
