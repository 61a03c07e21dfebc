#!/usr/bin/env bash
# The first process of a sandbox, in namespaces of its own: makes the machine below MOUNT, steps into it, and lives until its
# stdin is closed. With it the namespaces end, and everything in them: processes, mounts, files.
#
#   set-up.sh MOUNT IMAGE FAMILY SAVED   MOUNT is an empty folder; SAVED is a machine that was kept, or ''
set -euo pipefail
machine=$1 image=$2 family=$3 saved=$4
own=$machine/.sandbox

main() {
  read -r pid _ </proc/self/stat # as the outside counts, whose /proc is still here
  echo "pid $pid"
  umask 022
  mount --make-rprivate /
  # In the memory of the real machine, so that what a script fills is little of it.
  mount -t tmpfs -o size=1g,nr_inodes=100k,mode=755 machine "$machine"
  if [[ -n $saved ]]; then
    tar -C "$machine" --xattrs --xattrs-include='*' --numeric-owner -xpf "$saved"
  else
    make_folders
    make_etc
    cp -a "$image/families/$family"/root/. "$machine/"
    cp "$image/families/$family/os-release" "$machine/etc/"
  fi
  place_image
  mount_usr
  mount_kernel
  step_in
  ip link set lo up 2>/dev/null || true
  [[ -z $saved ]] || bash /.sandbox/restore
  echo ready
  while read -r _; do :; done # and reaps whatever is orphaned meanwhile
}

make_folders() {
  mkdir -p "$machine"/{boot,dev,etc,home,media,mnt,opt,proc,root,run,srv,sys/fs/cgroup,tmp,usr,var} \
    "$machine"/var/{cache,lib,log,spool,tmp} "$machine"/run/{lock,systemd/system} \
    "$own"/{steer,record,volatile/devices,usr/upper,usr/work,local}
  mkdir -p "$own"/local/{bin,sbin,lib,share,etc}
  chmod 1777 "$machine"/tmp "$machine"/var/tmp
  chmod 700 "$machine"/root
  ln -s /run "$machine"/var/run
  local name
  for name in bin sbin lib lib32 lib64 libx32; do
    [[ ! -L /$name ]] || ln -s "usr/${name}" "$machine/$name"
  done
  echo "$family" >"$own/steer/family"
  : >"$own/volatile/devices/eth0"
  echo 'cpuset cpu io memory hugetlb pids rdma misc' >"$machine/sys/fs/cgroup/cgroup.controllers"
  printf 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n' >"$own/steer/swaps"
  printf '%s\n' $'#subsys_name\thierarchy\tnum_cgroups\tenabled' $'cpu\t0\t60\t1' $'memory\t0\t60\t1' $'pids\t0\t60\t1' \
    >"$own/steer/cgroups"
}

# What programs of the real machine need to start, and what a fresh host has.
make_etc() {
  local path etc=$machine/etc
  mkdir -p "$etc"/{modules-load.d,ssh,ssl,sysctl.d,systemd/system/multi-user.target.wants}
  ln -s /usr/lib/systemd/system/remote-fs.target "$etc/systemd/system/multi-user.target.wants/"
  [[ $family != debian ]] || mkdir -p "$etc/apt/keyrings"
  for path in ld.so.cache ld.so.conf ld.so.conf.d alternatives ssl/openssl.cnf localtime protocols services; do
    [[ ! -e /etc/$path ]] || cp -a "/etc/$path" "$etc/$path"
  done
  rm -f "$etc"/alternatives/*.gz # manual pages
  printf '%s\n' root:x:0:0:root:/root:/bin/bash nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin >"$etc/passwd"
  printf '%s\n' root:x:0: adm:x:4: nogroup:x:65534: >"$etc/group"
  printf '%s\n' 127.0.0.1' localhost' 192.0.2.11' host-1' >"$etc/hosts"
  echo host-1 >"$etc/hostname"
  echo 'passwd: files' >"$etc/nsswitch.conf"
  echo 0123456789abcdef0123456789abcdef >"$etc/machine-id"
  echo '# /etc/fstab: no disk is mounted here' >"$etc/fstab"
  mkdir -p "$machine/root/.ssh" "$machine/home/operator/.ssh"
  echo 'ssh-ed25519 AAAA operator' | tee "$machine/root/.ssh/authorized_keys" >"$machine/home/operator/.ssh/authorized_keys"
  echo 'PermitRootLogin prohibit-password' >"$etc/ssh/sshd_config"
}

# A stub takes the place of the program of its name, wherever that is; what a fresh host would not have is hidden.
place_image() {
  local name path usr=$own/layer/usr bin=() sbin=()
  rm -rf "$own"/{layer,stubs,packages,lib.bash,reboot,restore}
  cp -a "$image"/. "$own/"
  mkdir -p "$own/record"
  mkdir -p "$usr"/{bin,sbin,lib/systemd/system}
  hide_programs
  for path in "$image"/bin/* "$image/families/$family"/bin/*; do
    [[ -e $path ]] || continue
    name=${path##*/}
    if [[ ! -L /usr/sbin && -e /usr/sbin/$name ]]; then
      sbin+=("$path")
      [[ -e /usr/bin/$name ]] || continue
    fi
    bin+=("$path")
  done
  install -m 755 -t "$usr/bin" "${bin[@]}"
  [[ ${#sbin[@]} == 0 ]] || install -m 755 -t "$usr/sbin" "${sbin[@]}"
  [[ ! -L /usr/sbin ]] || { rmdir "$usr/sbin" && ln -s "$(readlink /usr/sbin)" "$usr/sbin"; }
}

hide_programs() {
  local name path
  while read -r name; do
    [[ -n $name && $name != \#* ]] || continue
    for path in "bin/$name" "sbin/$name" "lib/systemd/system/$name.service"; do
      [[ ! -e /usr/$path && ! -L /usr/$path ]] || mknod "$own/layer/usr/$path" c 0 0
    done
  done < <(cat "$image/hidden" "$image/families/$family/hidden" 2>/dev/null)
}

mount_usr() {
  mkdir -p "$own/usr/work" "$own/layer/usr/local"
  rm -rf "$own/usr/work/work"
  mount -t overlay machine-usr -o "lowerdir=$own/layer/usr:/usr,upperdir=$own/usr/upper,workdir=$own/usr/work" "$machine/usr"
  mount --bind "$own/local" "$machine/usr/local"
}

mount_kernel() {
  mount -t proc proc "$machine/proc"
  mount --bind "$machine/proc/sys" "$machine/proc/sys"
  mount -o remount,bind,ro "$machine/proc/sys"
  mount --bind "$own/steer/swaps" "$machine/proc/swaps"
  [[ ! -e $machine/proc/cgroups ]] || mount --bind "$own/steer/cgroups" "$machine/proc/cgroups"
  [[ ! -e $machine/proc/sysrq-trigger ]] || mount --bind "$machine/proc/version" "$machine/proc/sysrq-trigger"
  mount -t tmpfs -o size=64k,mode=755 dev "$machine/dev"
  cp -a /dev/{null,zero,full,random,urandom,tty} "$machine/dev/"
  ln -s /proc/self/fd "$machine/dev/fd"
  ln -s /proc/self/fd/0 "$machine/dev/stdin"
  ln -s /proc/self/fd/1 "$machine/dev/stdout"
  ln -s /proc/self/fd/2 "$machine/dev/stderr"
}

step_in() {
  mkdir -p "$own/outside"
  cd "$machine"
  pivot_root . .sandbox/outside
  cd /
  umount -l /.sandbox/outside
  hostname host-1
  export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
}

main
