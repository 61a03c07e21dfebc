import { makeSystemClock } from '../adapters/node/clock.ts'
import { formatInstant } from '../api/rfc3339.ts'
import { buildableProfile } from './build-profile.ts'
import type { Command } from './command.ts'
import { signProfile } from './sign-profile.ts'
import { signWithSshKeygen } from './sign-with-ssh-keygen.ts'
import { signaturesFile, signaturesText } from './signatures-file.ts'
import { parseSigningSpan } from './signing-span.ts'
import { writeOutput } from './write-output.ts'

export const profileSignCommand: Command = {
  noun: 'profile',
  verb: 'sign',
  summary: 'Signs the scripts of a profile for hosts in mode Verified.',
  positionals: [{ name: 'DIR', meaning: 'The folder of a profile.' }],
  options: [
    {
      name: 'key',
      value: 'KEY',
      isRequired: true,
      meaning:
        'What ssh-keygen signs with: a private key, the file of a security key, or a public key or certificate whose other half an agent or a file beside it holds.',
    },
    {
      name: 'not-after',
      value: 'TIME',
      meaning:
        'Until when hosts join by it: 2026-12-30, 2026-12-30T00:00:00Z, or a span such as 12h, 30d, 8w; 30d if absent.',
    },
    { name: 'not-before', value: 'TIME', meaning: 'From when on; five minutes ago if absent.' },
    {
      name: 'serial',
      value: 'N',
      meaning: 'Hosts refuse what is lower than what they had; the seconds since 1970 if absent.',
    },
    {
      name: 'v1',
      meaning:
        'Sign the scripts by themselves too, for hosts whose shim knows no manifests. Such a signature never ends, and what it signs can be run again and again.',
    },
  ],
  notes: [
    'Writes a manifest of each phase with its signature to DIR/signatures.yaml, which kpssh profile build puts into the SSHJoinProfile. A manifest names profile, version, phase, the digest of the script, the time span, the serial, and every variable with a pattern: of vars what the profile declares, of secrets printable text, where scripts name them.',
    'Whoever runs it is asked for a passphrase, a PIN or a touch where the key needs one, once for each phase. After any change of the profile: sign again, build refuses what is stale.',
  ],
  async run({ positionals: [folder = ''], values, switches }, console) {
    const span = parseSigningSpan(
      { notBefore: values['not-before'], notAfter: values['not-after'], serial: values['serial'] },
      makeSystemClock().nowMs(),
    )
    const { profile } = await buildableProfile(folder, { mayBeStale: true })
    const sign = signWithSshKeygen(values['key'] ?? '')
    const signed = await signProfile({ profile, span, alsoScripts: switches.has('v1') }, sign)
    const file = signaturesFile(folder)
    await writeOutput(file, signaturesText(signed.signatures))
    const until = formatInstant(span.notAfterMs)
    console.out(
      `${file}: ${signed.phases.join(', ')}, signed by ${signed.signer}, serial ${span.serial}, until ${until}\n`,
    )
    console.note(`Next: kpssh profile build ${folder} | kubectl apply -f -\n`)
    return 0
  },
}
