// What may be a name, a label key and a label value.
import type { ResourceType } from './resource-type.ts'

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const configKey = /^[-._a-zA-Z0-9]+$/

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const namePartText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const configKeyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

export function nameProblem(type: Pick<ResourceType, 'group' | 'plural'>, name: string): string | undefined {
  // RBAC names are path segments: system:node-bootstrapper is one.
  if (type.group === 'rbac.authorization.k8s.io') {
    return /^[^/%]+$/.test(name) && !['.', '..'].includes(name) ? undefined : "may not contain '/' or '%'"
  }
  if (type.group === '' && ['namespaces', 'services'].includes(type.plural)) {
    if (name.length > 63) return 'must be no more than 63 characters'
    return label.test(name) ? undefined : labelText
  }
  if (name.length > 253) return 'must be no more than 253 characters'
  return subdomain.test(name) ? undefined : subdomainText
}

export function labelProblem(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 characters'
  return labelValue.test(value) ? undefined : labelValueText
}

/** Label keys, taint keys, finalizers: an optional DNS prefix, then a name. */
export function qualifiedNameProblem(key: string): string | undefined {
  const parts = key.split('/')
  const name = parts.at(-1) ?? ''
  if (parts.length > 2) return `a qualified name ${namePartText}`
  if (parts.length === 2 && !subdomain.test(parts[0] ?? '')) return `prefix part ${subdomainText}`
  if (name.length > 63) return 'name part must be no more than 63 characters'
  return namePart.test(name) ? undefined : namePartText
}

export function configKeyProblem(key: string): string | undefined {
  if (key.length > 253) return 'must be no more than 253 characters'
  return configKey.test(key) ? undefined : configKeyText
}
