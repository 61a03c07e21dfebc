import { fakeHostStore } from '../support/fakes/host-store.ts'
import { hostStoreContract } from './host-store.contract.ts'

hostStoreContract('in memory', async () => ({ subject: fakeHostStore(), stop: async () => undefined }))
