import js from '@eslint/js'
import tseslint from 'typescript-eslint'

const timeAndRandomness = [
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'Take nowMs or Clock.',
  },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take nowMs or Clock.' },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: 'Take Random.' },
  {
    selector:
      'ImportSpecifier[imported.name=/^random/], MemberExpression[property.name=/^random(UUID|Bytes|Int|FillSync)$/]',
    message: 'Take Ids or Random.',
  },
]
const shape = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
]

export default tseslint.config(
  { ignores: ['node_modules', '.esbuild', '.serverless', '.kpssh', 'dist', 'test/fixtures'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-params': ['warn', 3],
      'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['warn', { max: 50, skipBlankLines: true, skipComments: true }],
      complexity: ['warn', 10],
      'no-restricted-syntax': ['error', ...shape],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
  {
    files: ['lib/**/*.ts'],
    ignores: ['lib/{adapters,runtime,cli,watcher}/**', '**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'fetch', 'console'],
      'no-restricted-syntax': ['error', ...shape, ...timeAndRandomness],
    },
  },
  {
    files: ['test/**/*.ts', '**/*.test.ts', 'infra/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  { files: ['**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
    rules: { 'no-restricted-syntax': 'off' },
  },
)
