// Makes the Debian tree that test hosts are booted from, where it is not there yet, and says where it is.
import { debianTree } from './debian-tree.ts'

const tree = await debianTree()
if (tree.kind === 'ready') console.log(tree.folder)
else {
  console.error(`Cannot make the Debian tree: ${tree.problem}`)
  process.exitCode = 1
}
