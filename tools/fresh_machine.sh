#!/usr/bin/env bash
# Runs the README's commands on an empty Debian 12: a debootstrap chroot with nothing but make and the certificates. Needs root.
#   tools/fresh_machine.sh [--user] [--work-tree] [--keep] [--at FOLDER] [COMMAND...]
#     --user        as an ordinary user with sudo, not as root
#     --work-tree   copy the files as they are, not the last commit
#     --keep        leave the chroot (about 6 GB) behind for a look
#     --at FOLDER   where to make it; a temporary folder by default
#     COMMAND       run these instead of: "make train" "make test"
# The chroot gets this machine's settings of the network: apt's and pip's, proxies, certificates, name servers.
set -euo pipefail

die() { echo "fresh machine: $*" >&2; exit 1; }

((EUID == 0)) || die "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"
# In a mount name space of its own, what is mounted below is gone when this script ends, however it ends.
if [[ -z ${TANDEM_OWN_MOUNTS:-} ]]; then
  TANDEM_OWN_MOUNTS=1 exec unshare --mount --propagation private "${BASH_SOURCE[0]}" "$@"
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

user=root home=/root work_tree=false keep=false root=
while [[ ${1:-} == --* ]]; do
  case "$1" in
    --user) user=tandem home=/home/tandem ;;
    --work-tree) work_tree=true ;;
    --keep) keep=true ;;
    --at) root=${2:?--at needs a folder}; shift ;;
    *) die "unknown option '$1'" ;;
  esac
  shift
done
(($#)) || set -- "make train" "make test"
root=$(realpath -m "${root:-${TMPDIR:-/var/tmp}/tandem-fresh-$$}")
[[ ! -e $root ]] || die "$root exists already"

mounts=(proc sys dev dev/pts dev/shm)
clean_up() {
  local status=$? i
  for ((i = ${#mounts[@]} - 1; i >= 0; i--)); do
    ! mountpoint -q "$root/${mounts[i]}" || umount "$root/${mounts[i]}" || umount -l "$root/${mounts[i]}"
  done
  if $keep; then echo "fresh machine: left at $root" >&2; else rm -rf --one-file-system "$root"; fi
  exit $status
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

copy() {  # FILE_OR_FOLDER...: to the same place in the chroot
  local path
  for path; do
    [[ ! -e $path ]] || { mkdir -p "$root$(dirname "$path")" && cp -aLT "$path" "$root$path"; }
  done
}

# ---- an empty Debian 12 with this machine's network ----
mirror=$(find /etc/apt -name '*.list' -o -name '*.sources' | xargs sed -nE 's/^URIs: *(\S*).*/\1/p; s/^deb +(\[[^]]*\] +)?(\S+) .*/\2/p' |
         grep -m 1 '/debian/*$' || true)
packages=make,ca-certificates
[[ $user == root ]] || packages+=,sudo
echo "fresh machine: debootstrap at $root" >&2
mkdir -p "$root"
debootstrap --variant=minbase --include="$packages" bookworm "$root" ${mirror:+"$mirror"} >"$root/debootstrap.log" 2>&1 ||
  { tail -n 20 "$root/debootstrap.log" >&2; die "debootstrap failed"; }

rm -rf "$root/etc/apt"
copy /etc/apt /usr/share/keyrings /etc/resolv.conf /etc/hosts /usr/local/share/ca-certificates
copy /etc/pip.conf /etc/xdg/pip
for file in "${PIP_CONFIG_FILE:-}" "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf" "$HOME/.netrc"; do
  [[ ! -f $file ]] || install -D -m 644 "$file" "$root$home/${file#"$HOME/"}"
done
# Certificates that were added to this machine's bundle itself, not to the folder that it is made from.
python3 - /etc/ssl/certs/ca-certificates.crt "$root/usr/share/ca-certificates" "$root/usr/local/share/ca-certificates" <<'PYTHON'
import pathlib, re, sys
bundle, known, local = map(pathlib.Path, sys.argv[1:])
split = lambda text: re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", text, re.S)
there = {pem for folder in (known, local) for file in folder.rglob("*.crt") for pem in split(file.read_text())}
local.mkdir(parents=True, exist_ok=True)
extra = [pem for pem in split(bundle.read_text()) if pem not in there] if bundle.is_file() else []
for number, pem in enumerate(extra):
    (local / f"host-{number}.crt").write_text(pem + "\n")
PYTHON

settings=(HOME="$home" USER="$user" TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
while IFS= read -r -d '' variable; do
  [[ ! $variable =~ ^(PIP_|(https?|ftp|no|all)_proxy=|(HTTPS?|NO|ALL)_PROXY=|(SSL_CERT_FILE|SSL_CERT_DIR|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)=) ]] ||
    settings+=("$variable")
done < <(env -0)
# Folders of wheels on this machine that pip is told to look into.
for folder in ${PIP_FIND_LINKS:-}; do [[ ! -d $folder ]] || copy "$folder"; done

mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount --bind /dev "$root/dev"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts" 2>/dev/null || mount --bind /dev/pts "$root/dev/pts"
mkdir -p "$root/dev/shm" && mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
chroot "$root" env "${settings[@]}" update-ca-certificates >/dev/null 2>&1

# ---- the checkout ----
checkout=$home/tandem
mkdir -p "$root$checkout"
if $work_tree; then
  git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -cf - | tar -xf - -C "$root$checkout"
else
  git archive HEAD | tar -xf - -C "$root$checkout"
fi
if [[ $user != root ]]; then
  chroot "$root" useradd --shell /bin/bash "$user"
  echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"
  chroot "$root" chown -R "$user:$user" "$home"
fi

# ---- the README's commands ----
for command; do
  echo "fresh machine: $command" >&2
  start=$SECONDS status=0
  chroot --userspec="$user:$user" "$root" env -i "${settings[@]}" bash -c "cd '$checkout' && $command" || status=$?
  ((status == 0)) || die "'$command' ended with $status after $((SECONDS - start)) s"
  echo "fresh machine: '$command' done in $((SECONDS - start)) s" >&2
done
