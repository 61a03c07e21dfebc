// The walls: who may import whom. A room may import the rooms below it in this list, never one beside or above it.
// docs/architecture.md draws the same picture; test/walls.test.ts plants a violation to prove that this can fail.
const rooms = [
  ['ambient', 'errors'],
  ['api', 'signature'],
  ['hosts'],
  ['kubernetes', 'profile'],
  ['execution'],
  ['messages'],
  ['phase', 'watch', 'proof'],
  ['node-claim', 'provisioning', 'disruption', 'guard'],
  ['reconcile'],
]
const names = rooms.flat()

const roomRules = rooms.flatMap((level, index) =>
  level.map((room) => ({
    name: `room-${room}`,
    comment: `lib/${room} is a room: it enters only the rooms below it`,
    severity: 'error',
    from: { path: `^lib/${room}/`, pathNot: '\\.test\\.ts$' },
    to: {
      path: '^(lib|functions|infra|test)/',
      pathNot: `^lib/(${[room, ...rooms.slice(0, index).flat()].join('|')})/`,
    },
  })),
)

export default {
  forbidden: [
    ...roomRules,
    {
      name: 'rooms-are-pure',
      comment: 'a room knows no vendor, no socket, no file: only zod, hashing and byte codecs',
      severity: 'error',
      from: { path: `^lib/(${names.join('|')})/`, pathNot: '\\.test\\.ts$' },
      to: {
        dependencyTypesNot: ['local', 'type-only', 'undetermined'],
        path: '.',
        pathNot: '^(node:)?(crypto|zlib|util)$|node_modules/(zod|yaml)/|^(lib|functions|infra|test)/',
      },
    },
    {
      name: 'adapters-enter-rooms-by-ports',
      comment:
        'an adapter meets a room at its ports.ts (plus api, errors, messages, ambient and type modules)',
      severity: 'error',
      from: { path: '^lib/adapters/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^lib/(profile|phase|node-claim|provisioning|disruption|guard|watch|runtime|cli|watcher)/|^(functions|infra|test)/',
      },
    },
    {
      name: 'adapters-stay-apart',
      severity: 'error',
      from: { path: '^lib/adapters/([^/]+)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^lib/adapters/([^/]+)/', pathNot: '^lib/adapters/$1/' },
    },
    {
      name: 'nothing-ships-tests',
      severity: 'error',
      from: { path: '^(lib|functions|infra)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^test/|\\.test\\.ts$' },
    },
    {
      name: 'no-unknown-room',
      comment: 'a folder below lib is one of the rooms or plumbing that docs/architecture.md names',
      severity: 'error',
      from: { path: '.' },
      to: { path: `^lib/(?!(${names.join('|')}|adapters|runtime|watcher|cli)/)` },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: new URL('tsconfig.json', import.meta.url).pathname },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
