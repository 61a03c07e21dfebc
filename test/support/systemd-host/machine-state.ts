// The state of a booted host as proofs compare it, gathered by one command that runs there as root.
import { gunzipSync } from 'node:zlib'
import { SandboxError } from '../../../lib/errors/sandbox-error.ts'
import type {
  FileState,
  MachineState,
  UnitActivity,
  UnitEnablement,
  UnitState,
} from '../../../lib/proof/ports.ts'
import { readTar } from './read-tar.ts'

/** Prints sections, each a line `== name` and text behind it. Of /usr it takes what is newer than the host's first boot. */
export const stateScript = `set -euo pipefail
cd /
paths=()
for path in etc home opt root usr/local var/lib/{kubelet,cni,kpssh-profile,rancher,amazon}; do
  [[ ! -e $path ]] || paths+=("$path")
done
echo '== files'
{
  printf '%s\\0' "\${paths[@]}"
  find usr -xdev -path usr/local -prune -o -newerct "@$(stat -c %Y /etc/stand-in/made)" -not -type d -print0
} | { tar --create --null --files-from=- --one-file-system --hard-dereference 2>/dev/null || true; } | gzip -1 | base64 -w0
echo
echo '== names'
for path in var/lib/containerd; do
  [[ ! -e $path ]] || find "$path" -xdev -printf '%y %m %u:%g %p\\n'
done
echo '== unit files'
# Asking for all of them takes long, and no phase touches systemd's own.
names=$(find etc/systemd/system usr/lib/systemd/system -maxdepth 1 -name '*.service' -not -name 'systemd-*' \\
  -not -name 'initrd-*' -printf '%f\\n' | sort -u)
{ systemctl is-enabled $names || true; } | paste -d ' ' <(echo "$names") -
echo '== units'
systemctl list-units --all --type=service --no-legend --no-pager --plain
echo '== mounts'
awk '{ print $5 }' /proc/self/mountinfo
echo '== devices'
ls /sys/class/net
echo '== containers'
for file in /proc/[0-9]*/cmdline; do
  command=$({ tr '\\0' ' ' <"$file"; } 2>/dev/null) || continue
  [[ $command != *containerd-shim*' -namespace k8s.io '* ]] || echo "$command"
done
echo '== end'
`

/** Without knowledge of what was mounted when the machine was made: all mounts are named. Throws SandboxError. */
export function parseState(output: string): MachineState {
  const sections = new Map<string, readonly string[]>()
  for (const part of output.split(/^== /m).slice(1)) {
    const [name = '', ...lines] = part.split('\n')
    sections.set(
      name,
      lines.filter((line) => line !== ''),
    )
  }
  if (!sections.has('end')) throw new SandboxError('Cannot read the state of the host: its answer is cut')
  const lines = (name: string): readonly string[] => sections.get(name) ?? []
  return {
    files: new Map([...readFiles(lines('files')[0] ?? ''), ...lines('names').map(toName)].toSorted(byPath)),
    units: readUnits(lines('unit files'), lines('units')),
    mounts: [...new Set(lines('mounts'))].toSorted(),
    devices: lines('devices')
      .filter((device) => device !== 'lo')
      .toSorted(),
    containers: lines('containers').length,
  }
}

function byPath([a]: readonly [string, FileState], [b]: readonly [string, FileState]): number {
  return a < b ? -1 : 1
}

function readFiles(base64: string): readonly (readonly [string, FileState])[] {
  const archive = gunzipSync(Buffer.from(base64, 'base64'))
  return [...readTar(archive)].map(([path, state]) => [`/${path.replace(/\/$/, '')}`, state])
}

const kinds: Readonly<Record<string, FileState['kind']>> = { f: 'file', d: 'directory', l: 'link' }

function toName(line: string): readonly [string, FileState] {
  const [type = '', mode = '', owner = '', ...path] = line.split(' ')
  const kind = kinds[type] ?? 'other'
  return [`/${path.join(' ')}`, { kind, mode: parseInt(mode, 8), owner, content: '' }]
}

function readUnits(files: readonly string[], loaded: readonly string[]): ReadonlyMap<string, UnitState> {
  const units = new Map<string, UnitState>()
  for (const line of files) {
    const [name = '', state = ''] = line.split(/\s+/)
    units.set(name, { enablement: toEnablement(state), activity: 'inactive' })
  }
  for (const line of loaded) {
    const [name = '', , state = ''] = line.split(/\s+/)
    units.set(name, {
      enablement: units.get(name)?.enablement ?? 'not-found',
      activity: toActivity(state),
    })
  }
  return units
}

function toEnablement(state: string): UnitEnablement {
  if (state.startsWith('enabled')) return 'enabled'
  if (state.startsWith('masked')) return 'masked'
  return state === 'disabled' || state.startsWith('linked') ? 'disabled' : 'static'
}

/** What is on its way down has not ended yet. */
function toActivity(state: string): UnitActivity {
  if (state === 'inactive' || state === 'failed' || state === 'activating') return state
  return 'active'
}
