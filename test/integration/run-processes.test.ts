// Which processes of a run are signaled, and in which order: the program that runs on hosts, given to a real bash.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { processesPart } from '../../lib/execution/host-program/source.ts'

describe('the processes of a run that is ended', () => {
  it('are signaled from the script down: a shell that outlived its command would go on with the next line', () => {
    const depth = 7
    const script = [
      processesPart,
      'kill() { signaled=("${@:2}"); }',
      // Each shell of the chain says its number and starts the next one; the last one waits for a process to end it.
      `export chain='echo $$; if [ "$1" -gt 0 ]; then bash -c "$chain" kpssh-chain "$(($1 - 1))"; :; else exec sleep 60; fi'`,
      `exec 3< <(exec bash -c "$chain" kpssh-chain ${String(depth - 1)})`,
      'root=$$',
      `for ((i = 0; i < ${String(depth)}; i++)); do read -r -u 3 pid; chain_pids+=("$pid"); done`,
      'signal_run TERM none run "$root"',
      'printf "%s\\n" "${chain_pids[*]}"',
      'for pid in "${signaled[@]}"; do case " ${chain_pids[*]} " in *" $pid "*) found+=("$pid") ;; esac; done',
      'printf "%s\\n" "${found[*]}"',
      'builtin kill -KILL "${chain_pids[@]}"',
    ].join('\n')
    const { stdout, stderr, status } = spawnSync('bash', ['-s'], { input: script, timeout: 30_000 })
    assert.equal(status, 0, stderr.toString())
    const [chain = '', signaled] = stdout.toString().trim().split('\n')
    assert.equal(chain.split(' ').length, depth)
    assert.equal(signaled, chain)
  })
})
