// A certificate authority of the server's own: signs the serving certificate, and client certificates from signing requests.
// `reflect-metadata` comes first: the certificate library asks for it when it is loaded.
import 'reflect-metadata'
import { isIP } from 'node:net'
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

export interface Authority {
  readonly caPem: string
  serve(
    addresses: readonly string[],
    nowMs: number,
  ): Promise<{ readonly certPem: string; readonly keyPem: string }>
  /** Signs a PEM signing request for client authentication. Throws for what is no signing request. */
  signClient(requestPem: string, lifetimeMs: number, nowMs: number): Promise<string>
}

export async function makeAuthority(nowMs: number): Promise<Authority> {
  const keys = await generateKeys()
  const notBefore = new Date(nowMs - hourMs)
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=kpssh-local-ca',
    notBefore,
    notAfter: new Date(nowMs + 10 * yearMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const issuer = { issuer: ca.subject, signingKey: keys.privateKey, signingAlgorithm: algorithm }
  return {
    caPem: ca.toString('pem') + '\n',
    async serve(addresses, atMs) {
      const serving = await generateKeys()
      const certificate = await x509.X509CertificateGenerator.create({
        ...issuer,
        serialNumber: serialNumber(),
        subject: 'CN=kube-apiserver',
        notBefore: new Date(atMs - hourMs),
        notAfter: new Date(atMs + yearMs),
        publicKey: serving.publicKey,
        extensions: [
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension(
            addresses.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value })),
          ),
        ],
      })
      return { certPem: certificate.toString('pem') + '\n', keyPem: await privateKeyPem(serving) }
    },
    async signClient(requestPem, lifetimeMs, atMs) {
      const request = new x509.Pkcs10CertificateRequest(requestPem)
      if (!(await request.verify())) throw new Error('the signature of the signing request is wrong')
      const certificate = await x509.X509CertificateGenerator.create({
        ...issuer,
        serialNumber: serialNumber(),
        subject: request.subject,
        notBefore: new Date(atMs - hourMs),
        notAfter: new Date(atMs + lifetimeMs),
        publicKey: request.publicKey,
        extensions: [
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
        ],
      })
      return certificate.toString('pem') + '\n'
    },
  }
}

/** A key pair with a signing request for `system:node:<name>`, as a kubelet makes it. */
export async function makeNodeRequest(
  nodeName: string,
): Promise<{ readonly requestPem: string; readonly keyPem: string }> {
  const keys = await generateKeys()
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: ['system:nodes'] }, { CN: [`system:node:${nodeName}`] }],
    keys,
    signingAlgorithm: algorithm,
  })
  return { requestPem: request.toString('pem') + '\n', keyPem: await privateKeyPem(keys) }
}

/** The user a signing request asks for; undefined for what is no signing request. */
export function readRequestSubject(
  requestPem: string,
): { readonly commonName: string; readonly organizations: readonly string[] } | undefined {
  try {
    const { subjectName } = new x509.Pkcs10CertificateRequest(requestPem)
    return { commonName: subjectName.getField('CN')[0] ?? '', organizations: subjectName.getField('O') }
  } catch {
    return undefined
  }
}

/** The user a client certificate stands for, by Kubernetes' rule: common name and organizations. */
export function readCertificateUser(
  certificate: X509Certificate,
): { readonly username: string; readonly groups: readonly string[] } | undefined {
  const fields = certificate.subject.split('\n').map((line) => line.split('=', 2))
  const username = fields.find(([key]) => key === 'CN')?.[1]
  if (username === undefined) return undefined
  return { username, groups: fields.filter(([key]) => key === 'O').map(([, value]) => value ?? '') }
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

async function privateKeyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const key = createPrivateKey({ key: exported, format: 'der', type: 'pkcs8' })
  return key.export({ format: 'pem', type: 'pkcs8' }).toString()
}

function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16))
  return Buffer.from(bytes.with(0, (bytes[0] ?? 0) & 0x7f)).toString('hex')
}
