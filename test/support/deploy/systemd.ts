// systemd as process 1 of namespaces of its own, on a file system of which the machine's is the lower, read-only part: units, accounts
// and files are written as on a machine of an operator, and are gone afterwards. What would reach the machine's kernel is read-only.
// It shares the network, so that PostgreSQL and the tests are at hand. Needs root, unshare, nsenter and systemd.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '#support/until.ts';

const INIT = ['/lib/systemd/systemd', '/usr/lib/systemd/systemd'].find((path) => existsSync(path));
const run = promisify(execFile);

/** In a mount namespace of its own; $1 is an empty folder, $2 the checkout, $3 Node, $4 systemd, $5 the name of the control group. */
const BOOT = `
set -e
umask 022
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root" "$1/groups"
mount -t cgroup2 cgroup2 "$1/groups"
mkdir "$1/groups/$5"
echo $$ > "$1/groups/$5/cgroup.procs"
exec unshare --pid --fork --kill-child --uts --ipc --cgroup --mount sh -ec '
root="$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
  touch "$root/dev/$node"
  mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir -p "$root/opt/hygie" "$root/dev/shm"
mount --bind "$2" "$root/opt/hygie"
mount -o remount,bind,ro "$root/opt/hygie"
ln -s pts/ptmx "$root/dev/ptmx"
rm -f "$root/usr/bin/node"
cp "$3" "$root/usr/bin/node"
mkdir "$root/oldroot"
cd "$root"
pivot_root . oldroot
umount -l /oldroot
mount --make-rshared /
exec env -i container=hygie PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \\
  "$4" --system --unit=basic.target --log-target=journal --show-status=0
' sh "$@"
`;

export interface Systemd {
  /** Runs a shell command there, as root; returns what it prints. Rejects with its output when it fails. */
  run(command: string): Promise<string>;
  close(): Promise<void>;
}

/** Whether this machine lets systemd run so. */
export function systemdRuns(): boolean {
  if (INIT === undefined || process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', '--cgroup', 'nsenter', '--version'], { stdio: 'ignore' });
    const known = readFileSync('/proc/filesystems', 'utf8');
    return known.includes('\toverlay\n') && known.includes('\tcgroup2\n');
  } catch {
    return false;
  }
}

/** Starts systemd; `folder` is empty and stays so outside. */
export async function startSystemd(folder: string): Promise<Systemd> {
  const group = `hygie-test-${process.pid}-${Date.now()}`;
  const checkout = join(import.meta.dirname, '../../..');
  const args = [folder, checkout, process.execPath, INIT ?? '', group];
  const outer = spawn('unshare', ['--mount', 'sh', '-c', BOOT, 'sh', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  outer.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise<void>((resolve) => outer.once('close', () => resolve()));
  // The shells become unshare, which has systemd as its only child.
  const init = () => readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim();
  const within = async (command: string) => {
    const enter = ['--target', init(), '--mount', '--pid', '--uts', '--ipc', '--cgroup', '--root', '--wd'];
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const { stdout } = await run('nsenter', [
      ...enter,
      'env',
      '-i',
      path,
      'HOME=/root',
      'sh',
      '-ec',
      `umask 022; ${command}`,
    ]);
    return stdout;
  };
  const close = async () => {
    outer.kill('SIGKILL');
    await ended;
    const remove = `mount -t cgroup2 cgroup2 "$1"; find "$1/$2" -depth -type d -exec rmdir {} ';'; test ! -e "$1/$2"`;
    const removed = () => run('unshare', ['--mount', 'sh', '-c', remove, 'sh', folder, group]).catch(() => undefined);
    await until(async () => (await removed()) !== undefined, 'the control group is removed');
  };
  try {
    await until(async () => {
      if (outer.exitCode !== null) throw new Error(`systemd did not start: ${said}`);
      return within('systemctl is-active basic.target').then(
        () => true,
        () => false,
      );
    }, `systemd is up: ${said}`);
  } catch (error) {
    await close();
    throw error;
  }
  return { run: within, close };
}
