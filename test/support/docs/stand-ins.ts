// The programs that a page may name and a test may not run, each with what it does there instead. What is not in this table
// runs as it is on the machine; what the machine lacks makes the page's test be skipped by name (`TOOLS`).

/** What the command process does for a program: `command-process.ts` has a function of each of these names. */
export type StandIn = 'hygie' | 'npm' | 'systemctl' | 'container' | 'files' | 'prefix' | 'nothing' | 'git' | 'install';

export const STAND_INS: Readonly<Record<string, { by: StandIn; why: string }>> = {
  hygie: { by: 'hygie', why: 'runs the command in a process that has its modules loaded' },
  npm: {
    by: 'npm',
    why: 'hygie and start as above; ci looks for the lock file only: the run has its packages; test is this run, and audit asks a registry; other scripts run without npm around them',
  },
  systemctl: {
    by: 'systemctl',
    why: 'starts the service by the unit file, without systemd; a restart after which all files are as at the start leaves it running',
  },
  journalctl: { by: 'systemctl', why: 'prints what that service has logged' },
  docker: {
    by: 'container',
    why: 'no containers here: files and services that it names have to exist; exec runs the command',
  },
  kubectl: { by: 'container', why: 'the same' },
  helm: {
    by: 'container',
    why: 'there is no cluster: the files that it names have to exist; test/deploy renders the chart',
  },
  promtool: { by: 'files', why: 'may not be installed: the files that it names have to exist' },
  nginx: { by: 'nothing', why: "the machine's own proxy; deploy/ is driven by test/deploy" },
  caddy: { by: 'nothing', why: 'the same' },
  certbot: { by: 'nothing', why: 'needs a public name' },
  'apt-get': { by: 'nothing', why: 'changes the machine' },
  apt: { by: 'nothing', why: 'the same' },
  useradd: { by: 'nothing', why: 'changes the machine' },
  groupadd: { by: 'nothing', why: 'the same' },
  sysctl: { by: 'nothing', why: 'the same' },
  chown: { by: 'files', why: 'the accounts do not exist here; the files have to' },
  chgrp: { by: 'files', why: 'the same' },
  install: { by: 'install', why: 'without owner and group, which do not exist here' },
  sudo: { by: 'prefix', why: 'runs what follows, under the account of the test' },
  runuser: { by: 'prefix', why: 'the same' },
  git: { by: 'git', why: 'clone brings this repository, whatever the address' },
  crontab: { by: 'files', why: 'changes the machine; a file has to exist' },
  rsync: { by: 'files', why: 'there is no other machine; what is copied has to exist' },
  scp: { by: 'files', why: 'the same' },
  ssh: { by: 'nothing', why: 'there is no other machine' },
};

/** Programs that pages use and that a machine may lack. */
export const TOOLS = ['bash', 'curl', 'openssl', 'psql', 'pg_dump', 'pg_restore', 'tar', 'gzip', 'jq', 'sha256sum'];
