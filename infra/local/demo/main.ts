// npm run demo
import { runDemo } from './run-demo.ts'

process.exitCode = await runDemo()
