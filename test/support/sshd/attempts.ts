// What tests of Verified hosts try, and how they tell whether anything ran.
import assert from 'node:assert/strict'
import type { RunReport, RunRequest } from '../../../lib/execution/ports.ts'
import type { Manifest } from '../../../lib/profile/manifest/manifest.ts'
import { aRun } from './runs-on.ts'
import { signedRun } from './signer.ts'
import { runs, type VerifiedHost } from './verified-host.ts'

export const dayMs = 24 * 3600 * 1000
export const marker = 'kpssh-0123456789abcdef0123456789abcdef'

/** Leaves a mark where it ran. */
export function marking(name: string): string {
  return `echo "$KPSSH_NODE_NAME" >>"$KPSSH_ROOT/ran-${name}"\n`
}

export function ran(host: VerifiedHost): string[] {
  return host.list('').filter((name) => name.startsWith('ran'))
}

export function aJoin(name: string, more: Partial<RunRequest> = {}): RunRequest {
  return aRun(marking(name), { environment: { KPSSH_NODE_NAME: 'n1' }, ...more })
}

export async function start(host: VerifiedHost, request: RunRequest, waitMs = 10_000): Promise<RunReport> {
  return (await runs.start(host.target, request, { waitMs })).report
}

export async function requireUnable(host: VerifiedHost, request: RunRequest, reason: string): Promise<void> {
  const before = ran(host)
  const report = await start(host, request)
  assert.equal(report.kind === 'unable' ? report.reason : report.kind, reason, JSON.stringify(report))
  assert.deepEqual(ran(host), before)
}

export async function requireRuns(host: VerifiedHost, request: RunRequest): Promise<void> {
  const report = await start(host, request)
  assert.equal(report.kind === 'finished' && report.outcome.exitCode, 0, JSON.stringify(report))
}

export function withManifest(
  host: VerifiedHost,
  request: RunRequest,
  more: Partial<Manifest> = {},
): RunRequest {
  return signedRun(host.signer, request, more)
}

/** The same signed material with another run's claims around it. */
export function claiming(signed: RunRequest, more: Partial<RunRequest>): RunRequest {
  return { ...aJoin('unused'), ...signed, ...aFreshPlace(), ...more }
}

function aFreshPlace(): Pick<RunRequest, 'runId' | 'fence'> {
  const { runId, fence } = aRun('')
  return { runId, fence }
}
