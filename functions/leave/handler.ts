export async function handler(event: {
  readonly Records?: readonly { readonly messageId: string }[]
}): Promise<{
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[]
}> {
  await Promise.resolve()
  console.log('install', JSON.stringify(event))
  return { batchItemFailures: [] }
}
