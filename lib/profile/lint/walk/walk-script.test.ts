import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseShell } from '../shell/parse-shell.ts'
import type { Invocation } from './invocation.ts'
import { anything, secret, something, token } from './text.ts'
import { walkScript } from './walk-script.ts'

const shown: Readonly<Record<string, string>> = {
  [anything]: '?',
  [something]: '!',
  [secret]: 'S',
  [token]: 'T',
}

function show(text: string): string {
  return text.replaceAll(/[\uE000-\uE003]/g, (hole) => shown[hole] ?? hole)
}

function walked(lines: readonly string[]): readonly Invocation[] {
  return walkScript(parseShell(lines.join('\n')))
}

/** What is called, without builtins; alternatives are joined by `|`. */
function calls(...lines: readonly string[]): readonly string[] {
  return walked(lines)
    .filter(({ isBuiltin }) => !isBuiltin)
    .map(({ program, arguments: args }) =>
      [program, ...args.map(({ texts }) => show(texts.join('|')))].join(' '),
    )
}

describe('walkScript', () => {
  it('goes through functions where they are called, with what they are given', () => {
    assert.deepEqual(
      calls(
        'main() { f a; f "$x" b; }',
        'f() { p "$1" "${2:-none}"; }',
        'unused() { q; }',
        'x=c',
        'main',
        'r',
      ),
      ['p a none', 'p c b', 'r'],
    )
  })
  it('hands commands on to functions that run them', () => {
    assert.deepEqual(
      calls(
        'retry() { local n=$1; shift; until "$@"; do sleep "$n"; done; }',
        'retry 5 systemctl enable --now kubelet',
      ),
      ['systemctl enable --now kubelet', 'sleep 5'],
    )
    assert.deepEqual(calls('q() { p "${@:2}"; }', 'q a b c'), ['p b c'])
  })
  it('follows variables, arrays and loops', () => {
    assert.deepEqual(
      calls(
        'a=1',
        'a=2',
        'list=(x y)',
        'list+=(z)',
        'for i in "${list[@]}" $a; do p "$i"; done',
        'q "${list[@]}"',
      ),
      ['p x|y|z|2', 'q x y z'],
    )
    assert.deepEqual(calls('f() { for i; do p "$i"; done; }', 'f a b'), ['p a|b'])
    assert.deepEqual(calls('units="kubelet containerd"', 'p $units', 'q "$units"'), [
      'p kubelet containerd',
      'q kubelet containerd',
    ])
    assert.deepEqual(calls('if a; then look="cat /b"; else look="getent c d"; fi', '$look').slice(1), [
      'cat /b|c d',
      'getent /b|c d',
    ])
  })
  it('keeps what may be left from before a branch', () => {
    assert.deepEqual(calls('a=1', 'if b; then a=2; elif c; then a=3; fi', 'p $a', '[ x ] && a=4', 'p $a'), [
      'b',
      'c',
      'p 1|2|3',
      'p 1|2|3|4',
    ])
  })
  it('keeps variables of functions apart from others of the same name', () => {
    assert.deepEqual(calls('a=1', 'f() { local a=2; p $a; }', 'f', 'p $a', 'g() { a=3; }', 'g', 'p $a'), [
      'p 2',
      'p 1',
      'p 3',
    ])
  })
  it('leaves open what only the host knows', () => {
    assert.deepEqual(
      calls(
        'read -r a; mapfile -t b; printf -v c x; d=$(e); t=$(mktemp -d)',
        'p "$a" "${b[@]}" "$c" "$d" "$UNSET" "$t/x" "${UNSET:?}" "${UNSET:-y}" "${#a}" "$?" $((1+1)) "${a%x}"',
      ).at(-1),
      'p ? ? ? ? ? /tmp/!/x ! ?|y ! ! ! ?',
    )
  })
  it('follows secrets to where they get, and forgets them where only their presence counts', () => {
    assert.deepEqual(
      calls(
        'a=$KPSSH_SECRET_A; b="x${a}y"; c=$(printf %s "$b" | base64); export d=$c',
        'p "$KPSSH_BOOTSTRAP_TOKEN" "$a" "$b" "$c" "$d" "${a:+set}" "${#a}" "${a:0:4}" {{ .Secrets.x }}',
      ).at(-1),
      'p T S xSy S S |set ! S S',
    )
  })
  it('ends where the script ends', () => {
    assert.deepEqual(calls('a', 'fail() { b; exit 1; }', 'c || fail', 'd', 'fail', 'e'), [
      'a',
      'c',
      'b',
      'd',
      'b',
    ])
    assert.deepEqual(calls('f() { return; a; }', 'f', 'b', 'exec c', 'd'), ['b', 'c'])
    assert.deepEqual(calls('if a; then exit; else return; fi', 'b'), ['a'])
    assert.deepEqual(calls('case $x in a) exit ;; *) exit ;; esac', 'b'), [])
    assert.deepEqual(calls('case $x in a) exit ;; esac', 'b'), ['b'])
  })
  it('sees through what merely starts a program', () => {
    assert.deepEqual(
      calls(
        'sudo -n -u root env A=1 timeout -k 5 10 nice -n 5 /usr/bin/p a',
        'command q; exec 3>&1',
        'x | xargs -r -n1 umount -f',
        '"$TOOL" b',
        'apt=apt-get; $apt update',
      ),
      ['p a', 'q', 'x', 'umount -f', 'apt-get update'],
    )
  })
  it('reads commands out of texts: traps, eval, bash -c', () => {
    assert.deepEqual(
      calls(
        `trap 'rm -rf "$t"' EXIT`,
        't=/x',
        'cleanup() { p; }',
        'trap cleanup EXIT',
        `bash -euc 'q a'`,
        'eval "r b"',
      ).filter((call) => !call.startsWith('bash')),
      ['rm -rf ?', 'p', 'q a', 'r b'],
    )
    const places = (...lines: readonly string[]) =>
      walked(lines)
        .flatMap(({ words }) => words.slice(0, 1))
        .map(({ texts, word }) => `${word.line} ${texts.join()}`)
        .slice(-2)
    assert.deepEqual(places('true', `trap 'a`, `b' EXIT`), ['2 a', '3 b'])
    assert.deepEqual(places(`code='a`, `b'`, 'eval "$code"'), ['3 a', '3 b'])
  })
  it('calls every function that a name may stand for', () => {
    assert.deepEqual(calls('on_a() { p; }', 'on_b() { q; }', 'c() { r; }', '"on_$(family)" x'), [
      'family',
      'p',
      'q',
    ])
  })
  it('notes what decides whether a command is carried out', () => {
    const guards = walked(['grep -q a f || p', 'if ! cmp -s a b; then q; fi', 'r'])
      .filter(({ program }) => 'pqr'.includes(program))
      .map((each) => each.guards)
    assert.deepEqual(guards, [['grep'], ['cmp'], []])
  })
  it('knows where tracing may be on', () => {
    const traced = (...lines: readonly string[]) =>
      walked(lines)
        .filter(({ program, isTraced }) => isTraced && /^[p-s]$/.test(program))
        .map(({ program }) => program)
    assert.deepEqual(traced('p', 'set -ex', 'q', 'set +x', 'r'), ['q'])
    assert.deepEqual(traced('set -o xtrace', 'p', '(set +x; q)', 'r', 'set +o xtrace', 's'), ['p', 'r'])
    assert.deepEqual(traced('if a; then set -x; else set +x; fi', 'p'), ['p'])
    assert.deepEqual(traced('a && { set -x; exit; }', 'p'), [])
    assert.deepEqual(traced('while a; do set -x; done', 'p'), ['p'])
    assert.deepEqual(traced('f() { set -x; return; }', 'f', 'p'), ['p'])
    assert.deepEqual(traced('set -- -x', 'p', 'set -x -- y', 'q "$1"'), ['q'])
  })
  it('goes through functions that call each other without end', () => {
    assert.deepEqual(calls('a() { p; b; }', 'b() { a; q; }', 'a'), ['p', 'q'])
    const all = Array.from({ length: 40 }, (_, index) => `f${index}() { f${index + 1}; f${index + 1}; }`)
    assert.ok(walked([...all, 'f40() { p; }', 'f0']).length <= 20_000)
  })
})
