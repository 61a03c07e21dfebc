// The few CloudFormation functions that our own serverless.yml uses in what functions and event sources need to know.

/** What one created resource answers to `Ref` and `Fn::GetAtt`. */
export interface CreatedResource {
  readonly ref: string
  readonly attributes: Readonly<Record<string, string>>
}
export type CreatedResources = Readonly<Record<string, CreatedResource>>

/** Throws an Error that names what cannot be resolved: a local stack with half its settings would fail later and darker. */
export function resolveIntrinsics(value: unknown, resources: CreatedResources): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveIntrinsics(item, resources))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [first] = entries
  if (entries.length === 1 && first !== undefined && (first[0] === 'Ref' || first[0].startsWith('Fn::'))) {
    return resolveFunction(first[0], first[1], resources)
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolveIntrinsics(item, resources)]))
}

function resolveFunction(name: string, argument: unknown, resources: CreatedResources): unknown {
  switch (name) {
    case 'Ref':
      return lookUp(String(argument), resources).ref
    case 'Fn::GetAtt':
      return attributeOf(argument, resources)
    case 'Fn::Join':
      return join(argument, resources)
    default:
      throw new Error(`Cannot resolve "${name}" locally: only Ref, Fn::GetAtt and Fn::Join are known`)
  }
}

function lookUp(logicalID: string, resources: CreatedResources): CreatedResource {
  const resource = resources[logicalID]
  if (resource === undefined) {
    throw new Error(
      `Cannot resolve a reference to "${logicalID}" locally: only queues and tables are created`,
    )
  }
  return resource
}

function attributeOf(argument: unknown, resources: CreatedResources): string {
  const [logicalID, attribute] = Array.isArray(argument) ? argument.map(String) : String(argument).split('.')
  const value = lookUp(logicalID ?? '', resources).attributes[attribute ?? '']
  if (value === undefined)
    throw new Error(`Cannot resolve "${logicalID}.${attribute}" locally: no such attribute`)
  return value
}

function join(argument: unknown, resources: CreatedResources): string {
  const [separator, parts] = Array.isArray(argument) ? (argument as readonly unknown[]) : []
  const resolved = resolveIntrinsics(parts, resources)
  if (!Array.isArray(resolved))
    throw new Error('Cannot resolve "Fn::Join" locally: its second argument is not a list')
  return resolved.map(String).join(String(separator))
}
