// Messages as queue bodies. An observation is large and repeats itself, so it travels gzip-compressed in a small JSON envelope
// that says what it is without being opened; everything else is plain JSON. Reading never throws and never takes more memory
// than the bounds below, whatever the bytes are.
import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { ClusterObserved } from './cluster-observed.ts'
import type { Message } from './ports.ts'
import { HostChanged, ProbeHosts, RunPhase } from './run-phase.ts'

/** What a queue carries at most. */
export const maxBodyBytes = 1_048_576
export const maxUnpackedBytes = 64 * 1_048_576

export type DecodedBody =
  | { readonly kind: 'message'; readonly message: Message }
  /** `path` leads to what is wrong, as in `hosts.0.name`; empty for the body as a whole. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly problem: string }

const Envelope = z.strictObject({
  type: z.literal('ClusterObserved'),
  version: z.literal(1),
  cluster: z.string(),
  encoding: z.literal('gzip+base64'),
  body: z.string(),
})

const AnyMessage = z.discriminatedUnion('type', [ClusterObserved, HostChanged, RunPhase, ProbeHosts])

export function encodeBody(message: Message): string {
  if (message.type !== 'ClusterObserved') return toJson(message)
  const { type, version, cluster } = message
  const body = gzipSync(JSON.stringify(message)).toString('base64')
  return toJson({ type, version, cluster, encoding: 'gzip+base64', body })
}

export function decodeBody(text: string): DecodedBody {
  if (Buffer.byteLength(text) > maxBodyBytes) {
    return unreadable(`it is longer than the ${maxBodyBytes} bytes that a queue carries`)
  }
  const outer = parseJson(text)
  if (outer.kind === 'unreadable') return outer
  const envelope = Envelope.safeParse(outer.value)
  if (envelope.success) return open(envelope.data)
  return check(outer.value)
}

function open({ cluster, body }: z.infer<typeof Envelope>): DecodedBody {
  let unpacked: string
  try {
    unpacked = gunzipSync(Buffer.from(body, 'base64'), { maxOutputLength: maxUnpackedBytes }).toString('utf8')
  } catch {
    return unreadable(`it is not gzip data of at most ${maxUnpackedBytes} bytes`, 'body')
  }
  const inner = parseJson(unpacked)
  if (inner.kind === 'unreadable') return { ...inner, path: 'body' }
  const decoded = check(inner.value)
  if (decoded.kind === 'message' && decoded.message.cluster !== cluster) {
    return unreadable('the envelope names another cluster than the message in it', 'cluster')
  }
  return decoded
}

function check(value: unknown): DecodedBody {
  const parsed = AnyMessage.safeParse(value)
  if (parsed.success) return { kind: 'message', message: parsed.data }
  const [issue] = parsed.error.issues
  return unreadable(issue?.message ?? 'it is no message', issue?.path.map(String).join('.'))
}

type Json = { readonly kind: 'json'; readonly value: unknown }
type Unreadable = Extract<DecodedBody, { kind: 'unreadable' }>

function parseJson(text: string): Json | Unreadable {
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return unreadable('it is not JSON')
  }
}

function unreadable(problem: string, path = ''): Unreadable {
  return { kind: 'unreadable', path, problem }
}

/** Queues refuse two code points that JSON allows; escaped, they are plain ASCII. */
function toJson(value: object): string {
  return JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`)
}
