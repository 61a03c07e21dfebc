// What a profile's proofs tell its scripts where proof.yaml says nothing: a cluster that nobody has, and conspicuous secrets.
import { registerWithTaints, type JoinContext } from '../profile/join-context.ts'

/** A real certificate, since profiles look into it. Its key was thrown away. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBgjCCASegAwIBAgIUMpnRMNcC8vn4b78D+0UXfGTE4PAwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKa3ViZXJuZXRlczAgFw0yNjExMzAwMjU5NTlaGA8yMTI2MTEw
NjAyNTk1OVowFTETMBEGA1UEAwwKa3ViZXJuZXRlczBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABP/PGve2Ru0R7JgdAesl/yJLXFFGFDLNd2pfGclYWO+ZStr+WQOJ
gpAY8hHr7ZVQWPyV/HIkiJJyEGCWt6uHN+WjUzBRMB0GA1UdDgQWBBQ0Zmzt78pX
6CTChgzmUD2V9ah4oDAfBgNVHSMEGDAWgBQ0Zmzt78pX6CTChgzmUD2V9ah4oDAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCJqWN6tdVmDeiEGuTq
QbXdA6psEw8TUqZ3ZrU4Zmuj3QIhAJdykbuihmcaB5QhSJ5GeY8ocIss0UryWnvR
3OSSy/4H
-----END CERTIFICATE-----
`

export const defaultContext: JoinContext = {
  ClusterEndpoint: 'https://192.0.2.1:6443',
  ClusterCACert: Buffer.from(certificate).toString('base64'),
  BootstrapToken: 'proofs.t0k3n5secr3thalf',
  NodeName: 'proof-1',
  ProviderID: 'kpssh://kpssh-system/proof-1',
  NodeLabels: 'kpssh.example/proof=true',
  RegisterWithTaints: registerWithTaints([]),
  HostAddress: '192.0.2.11',
  NodeAddress: '192.0.2.11',
  Vars: null,
  Secrets: null,
}
