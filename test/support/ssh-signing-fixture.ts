/** A signature that ssh-keygen made once, over `#!/usr/bin/env bash\necho hello\n` in namespace kpssh. Its key is gone. */
export const throwawayFixture = {
  line: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKKsEFsTyvc6o3hkrxjGZDLyq0PwFoADLKEIzrDNx5Bt',
  armor: `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgoqwQWxPK9zqjeGSvGMZkMvKrQ/
AWgAMsoQjOsM3HkG0AAAAFa3Bzc2gAAAAAAAAABnNoYTUxMgAAAFMAAAALc3NoLWVkMjU1
MTkAAABABTAtHfhYtg1a/Gi3CH2qBdm1LIYnwC9V5JMF79UC8zhmoD1FIwB+2W0k5JKptq
qTAj6oZABB3uuRKfbcA8ikAA==
-----END SSH SIGNATURE-----
`,
} as const
