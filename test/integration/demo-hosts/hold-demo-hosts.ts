// Starts a demo host with a running unit, says where, and stays.
import { startDemoHosts } from '../../../infra/local/demo-hosts/start-demo-hosts.ts'

const hosts = await startDemoHosts({ hosts: [{ name: 'held', cpu: 1, memory: '1Gi' }] })
const { stdout } = await hosts.run(
  'held',
  "cat > $KPSSH_ROOT/etc/systemd/system/a.service <<< $'[Service]\\nExecStart=/bin/sleep 1000'; systemctl start a; systemctl show -p MainPID --value a",
)
console.log(JSON.stringify({ root: hosts.host('held').root, pid: Number(stdout) }))
