import type { Command } from './command.ts'
import { hostAdoptCommand } from './host-adopt.ts'
import { hostCheckCommand } from './host-check.ts'
import { hostListCommand } from './host-list.ts'
import { hostPrepareCommand } from './host-prepare.ts'
import { hostReleaseCommand } from './host-release.ts'
import { hostRepinCommand } from './host-repin.ts'
import { hostShowCommand } from './host-show.ts'
import { phaseAttachCommand } from './phase-attach.ts'
import { phaseRunCommand } from './phase-run.ts'
import { profileBuildCommand } from './profile-build.ts'
import { profileLintCommand } from './profile-lint.ts'
import { profileListCommand } from './profile-list.ts'
import { profileRenderCommand } from './profile-render.ts'
import { profileShowCommand } from './profile-show.ts'
import { profileSignCommand } from './profile-sign.ts'
import { profileTestCommand } from './profile-test.ts'
import { profileVerifyCommand } from './profile-verify.ts'

/** In the order in which help lists them. */
export const commands: readonly Command[] = [
  profileListCommand,
  profileShowCommand,
  profileLintCommand,
  profileTestCommand,
  profileSignCommand,
  profileVerifyCommand,
  profileBuildCommand,
  profileRenderCommand,
  phaseRunCommand,
  phaseAttachCommand,
  hostListCommand,
  hostShowCommand,
  hostReleaseCommand,
  hostRepinCommand,
  hostAdoptCommand,
  hostPrepareCommand,
  hostCheckCommand,
]
