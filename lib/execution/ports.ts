// How a script reaches a host. The transport knows bytes; runs know what the bytes mean.
import type { HostKeyPin } from '../hosts/host-record.ts'

/** A value that prints as [secret]. `reveal` only where it leaves the process: the SSH handshake, the bytes on stdin. */
export interface Secret {
  reveal(): string
}

export interface SshTarget {
  /** Our name for the host, for messages. */
  readonly label: string
  readonly address: string
  readonly port: number
  readonly user: string
  readonly privateKey: Secret
  readonly passphrase?: Secret
  /** Empty: trust on first use, and the result says what was seen. */
  readonly pins: readonly HostKeyPin[]
  /** Set for a host whose login reaches nothing but a shim, which runs what an offline key has signed. */
  readonly verified?: { readonly shimCommand: string }
}

/** Milliseconds for each stage; each failure names its stage. */
export interface SshBudgets {
  readonly connectMs: number
  readonly handshakeMs: number
  readonly authMs: number
  readonly commandMs: number
}

export type RemoteReason = 'exited' | 'signaled' | 'timed-out' | 'cancelled' | 'disconnected' | 'output-limit'

/** One shape for success and failure of one remote command. First cause wins. */
export interface RemoteResult {
  readonly command: string
  readonly exitCode?: number
  readonly signal?: string
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly durationMs: number
  readonly reason: RemoteReason
  /** The key that was authenticated, and further keys proven over this connection. */
  readonly hostKeys: readonly HostKeyPin[]
}

export interface RemoteCommand {
  /** Plain words that any login shell accepts. */
  readonly command: string
  readonly stdin: Uint8Array
  /** Cap on each of stdout and stderr kept: head and tail, with a marker that counts what was left out. */
  readonly maxOutputBytes: number
  /** A server that sends more than this, in whatever form, is left: `output-limit`. No limit without. */
  readonly maxReceivedBytes?: number
  readonly budgets: SshBudgets
  readonly signal?: AbortSignal
  /** Live output, for a person who watches. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void
}

/**
 * Throws HostError (with reason: `ConnectTimeout`, `ConnectRefused`, `ClosedBeforeBanner`, `HandshakeTimeout`, `AuthFailed`,
 * `InteractiveAuthRequired`, `ChannelRefused`, ...) when nothing was started, HostIdentityError (`HostKeyChanged`) before
 * anything is sent, SpecError for a key that cannot be used. Once the command was started it never throws: it returns a result.
 */
export interface RemoteShell {
  run(target: SshTarget, command: RemoteCommand): Promise<RemoteResult>
}

/** One phase to carry out on a host. */
export interface RunRequest {
  readonly runId: string
  readonly phase: 'install' | 'join' | 'leave' | 'uninstall'
  readonly fence: number
  /** Absent for a run by hand on a host that belongs to no installation: it belongs to none afterwards. */
  readonly installationID?: string
  /** `<profile>@<version>`, for the host's own records. */
  readonly profile: string
  /** The rendered script, without preamble. */
  readonly script: string
  /** Exported before the script, in bytewise order of names. */
  readonly environment: Readonly<Record<string, string>>
  /** Values to be redacted from everything the script prints, on the host. */
  readonly secrets: readonly string[]
  /** The host ends the script after this: TERM, then KILL, to the whole group. */
  readonly timeoutMs: number
  /** systemd units whose activity means membership. */
  readonly agentUnits: readonly string[]
  /** What the host checks before it runs anything; set exactly for hosts in mode Verified. */
  readonly signed?: SignedScript
}

/** Armored SSH signatures, made offline. With a manifest the host is also safe from what was signed once. */
export interface SignedScript {
  /** Of the script's bytes, in namespace kpssh. */
  readonly signature?: string
  readonly manifest?: { readonly manifest: string; readonly signature: string }
}

export interface RunOutcome {
  readonly kind: 'exited' | 'timed-out' | 'killed' | 'lost'
  readonly exitCode?: number
  /** Line of the script, counted without preamble, whose command ended it. Only where bash can tell. */
  readonly failedLine?: number
  readonly stdoutTail: string
  readonly stderrTail: string
  readonly durationMs: number
}

export type RunReport =
  | { readonly kind: 'finished'; readonly outcome: RunOutcome; readonly bootID: string }
  /** Still going; continue from `offset`. */
  | { readonly kind: 'running'; readonly offset: number; readonly bootID: string }
  /** The host refused to start: our fence is old, absurd, another installation owns it, or another run is going. */
  | {
      readonly kind: 'refused'
      readonly reason: 'FenceStale' | 'FenceAbsurd' | 'ForeignInstallation' | 'RunInProgress'
      readonly message: string
    }
  /** A missing prerequisite, found before anything was started (`SudoNeedsTty`, `SudoDenied`, `MissingPrerequisite`, ...). */
  | { readonly kind: 'unable'; readonly reason: string; readonly message: string }
  /** The host knows no such run (never started, or its records are gone). */
  | { readonly kind: 'unknown' }
  /** Contact was lost at a point where it cannot be said whether the run was started. Attach again by run id. */
  | { readonly kind: 'indeterminate'; readonly message: string }

export interface Watch {
  /** Wait on the host for the end of the run for at most this long. */
  readonly waitMs: number
  /** For a run that ends with its connection: how long that may last. */
  readonly attachedMs?: number
  /** Output already seen, in bytes. */
  readonly offset?: number
  readonly signal?: AbortSignal
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void
}

export interface Reported<T> {
  readonly report: T
  readonly hostKeys: readonly HostKeyPin[]
}

export interface ProbeReport {
  readonly kind: 'probed'
  readonly cpu: number
  readonly memoryBytes: number
  /** As Kubernetes names it: amd64, arm64, ... */
  readonly arch: string
  readonly agent: 'active' | 'activating' | 'inactive' | 'failed' | 'unknown'
  readonly bootID: string
  /** Host clock minus ours. */
  readonly clockSkewMs: number
  /** In mode Verified: the newest envelope that the host's shim reads. */
  readonly envelope?: number
  /** What /var/lib/kpssh says; undefined where there is none. Without an id, all was done by hand so far. */
  readonly installation?: { readonly id?: string; readonly fence: number; readonly runningRunId?: string }
}

export type AdoptReport =
  /** The host belongs to the installation now. `before`: to which it did, if to any. */
  | { readonly kind: 'adopted'; readonly before?: string }
  | Extract<RunReport, { readonly kind: 'refused' | 'unable' | 'indeterminate' }>

/** Runs phases on hosts. Raw and verified mode each implement it; no caller asks which. Throws as RemoteShell does. */
export interface HostRuns {
  /** Starts the run, or attaches to it if this very run exists, then watches it. */
  start(target: SshTarget, request: RunRequest, watch: Watch): Promise<Reported<RunReport>>
  /** Watches or collects a run that was started before. */
  attach(
    target: SshTarget,
    run: { readonly runId: string; readonly phase: string },
    watch: Watch,
  ): Promise<Reported<RunReport>>
  probe(
    target: SshTarget,
    options: { readonly agentUnits: readonly string[]; readonly signal?: AbortSignal },
  ): Promise<Reported<ProbeReport | Extract<RunReport, { kind: 'unable' }>>>
}

/** What an operator vouches for. Throws as RemoteShell does. */
export interface HostAdoption {
  /** Makes the host the installation's, whoever's it was; only higher fences than this one start anything from then on. */
  adopt(
    target: SshTarget,
    owner: { readonly installationID: string; readonly fence: number },
  ): Promise<Reported<AdoptReport>>
}
