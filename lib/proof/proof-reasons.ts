// What a proof may find, with why it matters and what to do. The names are stable: programs and tests look for them.

export interface Advice {
  readonly explanation: string
  readonly fix: string
}

const fileOnly = 'Write it into a file of mode 600 that belongs to root, and remove it when it was used.'

export const proofReasons = {
  PhaseFails: {
    explanation: 'On a fresh machine with nothing in its way, every phase must end with exit code 0.',
    fix: 'Look at the output. What the profile needs of a machine is prepared in proof.yaml: machine, steer, context.',
  },
  UnitStillActive: {
    explanation:
      'After install and leave a host is no node: its agent and the runtime that it brought are stopped.',
    fix: 'In install and leave, `systemctl disable --now` the unit, and check with `systemctl is-active`.',
  },
  UnitStillEnabled: {
    explanation:
      'A unit that is enabled comes back with the next boot: the host joins again by itself and is paid for.',
    fix: 'In install and leave, `systemctl disable --now` the unit, and check with `systemctl is-enabled`.',
  },
  UnitNotActive: {
    explanation: 'join ends with 0 only when the host is a node, which its agent units must run for.',
    fix: 'In join, `systemctl enable --now` the unit, and wait until it is active.',
  },
  UnitNotEnabled: {
    explanation: 'A member whose agent unit is not enabled is missing after its next reboot.',
    fix: 'In join, `systemctl unmask` and `systemctl enable --now` the unit.',
  },
  ContainersStay: {
    explanation:
      'Containers outlive the kubelet and the runtime: pods go on running on a host that has left.',
    fix: 'In leave, end the pods while the runtime is up, and kill what is left of its shims.',
  },
  MountsStay: {
    explanation:
      'Volumes of pods stay mounted: they hold data that others wait for, and deleting below them deletes it.',
    fix: 'In leave, unmount what is below the directories of the kubelet and the runtime, deepest first.',
  },
  DevicesStay: {
    explanation:
      'Bridges and tunnels of a network plugin give the next pods addresses of the last membership.',
    fix: 'In leave, delete the devices of the network plugin, but never the one the SSH session rides on.',
  },
  ProcessesStay: {
    explanation:
      'What a phase left in the background goes on for a host that is no node any more, also as root.',
    fix: 'Start what must last as a unit, and stop that in leave; let a phase wait for what it starts itself.',
  },
  NotRepeatable: {
    explanation:
      'A host joins and leaves many times. What differs the second time piles up, or works once only.',
    fix: 'Let the phase remove what it finds of an earlier membership, and write files as a whole.',
  },
  UninstallLeavesBehind: {
    explanation: 'After uninstall the machine must be as it was before install.',
    fix: 'Remove it in uninstall, or list it in proof.yaml below uninstallKeeps if it stays by intention.',
  },
  GoldenDiffers: {
    explanation: 'proof.txt says what each phase changes; that is not what it changed now.',
    fix: 'If the change is right, `kpssh profile test DIR --update` writes it down; review the difference.',
  },
  FailsAfterInterruption: {
    explanation:
      'Any phase may be cut off at any point, by a crash or its timeout, and is run again as it is.',
    fix: 'Let the phase cope with what its first half left: check before what changes something, `mkdir -p`, `rm -f`.',
  },
  NotIdempotent: {
    explanation:
      'A phase that was cut off and run again must end as one that was not: idempotency is load-bearing.',
    fix: 'Write files as a whole and move them into place; mark what is unfinished and do it again.',
  },
  HalfJoinNotLeft: {
    explanation:
      'leave runs after a join that failed or was cut off, and must end that half membership as well.',
    fix: 'In leave, remove all that join writes, also what it only writes for a moment, whatever else is there.',
  },
  ComesBackAfterReboot: {
    explanation: 'A host that left, or was only installed, starts its agent at boot: it joins by itself.',
    fix: 'In install and leave, disable the unit and its runtime; look for other units that want it or start it.',
  },
  JoinAloneFails: {
    explanation: 'A host that left stays installed: after a reboot too, join alone must bring it back.',
    fix: 'Keep in leave what join needs, and let join make anew what lies in /run or /tmp.',
  },
  MemberStaysDown: {
    explanation: 'A member that reboots must come back as a member by itself.',
    fix: 'In join, enable the agent unit and its runtime, and keep nothing that they need in /run or /tmp.',
  },
  LeaveFailsOnFreshHost: {
    explanation: 'leave also runs where install never happened: the host stays blocked until it succeeds.',
    fix: 'Let leave check for what it stops and removes: a unit that is not there needs no disabling.',
  },
  LeaveFailsWithoutAgent: {
    explanation:
      'Somebody removed the agent and its unit by hand. leave must end what is left of the membership all the same.',
    fix: 'Let leave live without the unit, its program and its files, and remove what else join left.',
  },
  LeaveFailsOnMaskedUnit: {
    explanation:
      'An administrator masked the agent: it cannot run, so there is nothing that leave must fail for.',
    fix: 'A masked unit cannot be disabled, which is as good: check with `systemctl is-active` and `is-enabled`.',
  },
  LeaveChangesOther: {
    explanation:
      'leave must change what belongs to the membership, all of it and nothing else, whatever became of the agent.',
    fix: 'Remove what join wrote also where the unit is gone or masked, that is what `+` shows; and nothing where join never ran.',
  },
  MaskRemoved: {
    explanation: 'Whoever masked the unit wants it to stay down until the next join, or longer.',
    fix: 'Unmask in join, not in leave.',
  },
  SecretInOutput: {
    explanation:
      'What a script prints is shown and kept. What is known of a secret is redacted there; what the script makes of it is not.',
    fix: 'Print no secret, and do not trace (`set -x`) where one is used.',
  },
  SecretInFile: {
    explanation: 'Every user of the host can read the file at that moment, and copies of it stay in backups.',
    fix: `${fileOnly} Set \`umask 077\` before it is written, not its mode afterwards.`,
  },
  SecretInArguments: {
    explanation:
      'The arguments of a program are there for every user of the host to read, in /proc and in ps.',
    fix: `Hand it over on stdin: printf is a builtin, so \`printf %s "$secret" | program\` shows nothing. ${fileOnly}`,
  },
  SecretInEnvironment: {
    explanation: 'Programs inherit it, print it when they crash, and hand it on to what they start.',
    fix: 'Begin the script with `export -n KPSSH_BOOTSTRAP_TOKEN "${!KPSSH_SECRET_@}"`: the shell still knows them then.',
  },
  SecretStays: {
    explanation: 'After leave nothing must be left with which somebody could join in the name of this host.',
    fix: 'Remove the file in join once it was used, and in leave in any case.',
  },
} as const satisfies Readonly<Record<string, Advice>>

export type ProofReason = keyof typeof proofReasons
