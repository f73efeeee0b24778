// Starts the reverse proxies of `deploy/` from the files as they are shipped: only ports, paths and the certificate are replaced.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '#support/free-port.ts';

const SHIPPED = join(import.meta.dirname, '../../../deploy');
export const HOST = 'connect.example.org';
const MODULES = '/usr/lib/apache2/modules';

export interface RunningProxy {
  http: number;
  https: number;
  log(): string;
  /** The lines of requests; undefined if the shipped file has none written. */
  requests(): string | undefined;
  stop(): Promise<void>;
}

/** What a proxy is started with: `folder` is its own, in which the certificate lies too. */
export interface Place {
  folder: string;
  http: number;
  https: number;
  /** Ports of the instances: one or two, with HAProxy also more. */
  instances: readonly number[];
}

export interface ReverseProxy {
  name: string;
  /** Present on this machine. */
  installed: boolean;
  /** The command that runs the shipped file in the foreground. */
  command(place: Place): string[];
}

/** Replaces each text, which has to be there. */
function adapt(file: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`deploy/${file} has no "${from}"`);
      return text.replaceAll(from, to);
    },
    readFileSync(join(SHIPPED, file), 'utf8'),
  );
}

/** Ports of the instances; the line of the second one, which is a comment in the file, is put into force with it. */
const instances = ([one, two]: readonly number[]): [string, string][] => [
  ['127.0.0.1:3000', `127.0.0.1:${one}`],
  ...(two === undefined
    ? []
    : ([
        ['# Second instance: ', ''],
        ['127.0.0.1:3001', `127.0.0.1:${two}`],
      ] as [string, string][])),
];

function write(place: Place, name: string, text: string): string {
  const path = join(place.folder, name);
  writeFileSync(path, text);
  return path;
}

const nginx: ReverseProxy = {
  name: 'nginx',
  installed: existsSync('/usr/sbin/nginx'),
  command: (place) => {
    const { folder, http, https } = place;
    const site = adapt('nginx.conf', [
      ...instances(place.instances),
      ['listen 80;', `listen 127.0.0.1:${http};`],
      ['listen 443 ssl', `listen 127.0.0.1:${https} ssl`],
      ['/etc/ssl/hygie', folder],
      ['/var/log/nginx', folder],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    // Workers of their own account could not write below the folder of the test.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const around = `daemon off; ${user} pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
      events { worker_connections 1024; }
      http { access_log off; ${temporary.join(' ')}\n include ${write(place, 'site.conf', site)}; }`;
    return ['/usr/sbin/nginx', '-c', write(place, 'nginx.conf', around), '-p', folder, '-e', `${folder}/nginx.log`];
  },
};

const caddy: ReverseProxy = {
  name: 'Caddy',
  installed: existsSync('/usr/bin/caddy'),
  command: (place) => {
    const { folder, http, https } = place;
    const shipped = adapt('Caddyfile', [
      ...instances(place.instances),
      [`\n${HOST} {`, `\n${HOST} {\n\ttls ${folder}/fullchain.pem ${folder}/key.pem`],
    ]);
    const options = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tstorage file_system ${folder}\n}\n`;
    return [
      '/usr/bin/caddy',
      'run',
      '--adapter',
      'caddyfile',
      '--config',
      write(place, 'Caddyfile', options + shipped),
    ];
  },
};

const APACHE = [
  ...['mpm_event', 'authz_core', 'alias', 'headers', 'setenvif', 'ssl', 'http2', 'socache_shmcb', 'slotmem_shm'],
  ...['proxy', 'proxy_http', 'proxy_balancer', 'proxy_hcheck', 'lbmethod_bybusyness'],
];

const apache: ReverseProxy = {
  name: 'Apache',
  installed: existsSync('/usr/sbin/apache2') && existsSync(`${MODULES}/mod_proxy_hcheck.so`),
  command: (place) => {
    const { folder, http, https } = place;
    const site = adapt('apache.conf', [
      ...instances(place.instances),
      ['*:80', `127.0.0.1:${http}`],
      ['*:443', `127.0.0.1:${https}`],
      ['/etc/ssl/hygie', folder],
      ['/var/log/apache2', folder],
    ]);
    const around = `${APACHE.filter((name) => existsSync(`${MODULES}/mod_${name}.so`))
      .map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`)
      .join('\n')}
      Listen 127.0.0.1:${http}\nListen 127.0.0.1:${https}\nServerName ${HOST}\nPidFile ${folder}/apache.pid
      ErrorLog ${folder}/apache.log\nDefaultRuntimeDir ${folder}\nUser www-data\nGroup www-data\n${site}`;
    return ['/usr/sbin/apache2', '-d', folder, '-f', write(place, 'apache.conf', around), '-D', 'FOREGROUND'];
  },
};

const haproxy: ReverseProxy = {
  name: 'HAProxy',
  installed: existsSync('/usr/sbin/haproxy'),
  command: (place) => {
    const { folder, http, https } = place;
    const [certificate, key] = ['fullchain.pem', 'key.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
    write(place, 'fullchain-and-key.pem', `${certificate}${key}`);
    const shipped = adapt('haproxy.cfg', [
      ...instances(place.instances),
      ['bind :80\n', `bind 127.0.0.1:${http}\n`],
      ['bind :443', `bind 127.0.0.1:${https}`],
      ['/etc/ssl/hygie', folder],
    ]);
    const further = place.instances.slice(2).map((port) => `  server at-${port} 127.0.0.1:${port}\n`);
    return ['/usr/sbin/haproxy', '-db', '-f', write(place, 'haproxy.cfg', shipped + further.join(''))];
  },
};

export const PROXIES: readonly ReverseProxy[] = [nginx, caddy, apache, haproxy];

/** A certificate of its own for `HOST` and 127.0.0.1, as `fullchain.pem` and `key.pem` in the folder; false on a machine without openssl. */
export function makeCertificate(folder: string): boolean {
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${HOST}`];
  const names = ['-addext', `subjectAltName=DNS:${HOST},IP:127.0.0.1`];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'fullchain.pem')];
  try {
    execFileSync('openssl', [...made, ...names, ...files], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts a proxy in a folder of its own below `folder`, which holds the certificate. */
export async function startProxy(proxy: ReverseProxy, folder: string, ports: readonly number[]): Promise<RunningProxy> {
  const own = join(folder, proxy.name);
  mkdirSync(own, { mode: 0o755 });
  for (const name of ['fullchain.pem', 'key.pem']) writeFileSync(join(own, name), readFileSync(join(folder, name)));
  const place: Place = { folder: own, http: await freePort(), https: await freePort(), instances: ports };
  const [program = '', ...args] = proxy.command(place);
  const child = spawn(program, args, {
    env: { PATH: '/usr/sbin:/usr/bin', HOME: own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (written += text));
  const log = () => {
    const file = join(own, `${proxy.name.toLowerCase()}.log`);
    return `${written}${existsSync(file) ? readFileSync(file, 'utf8') : ''}`;
  };
  await listens(place.https, child, log);
  const { http, https } = place;
  const file = join(own, 'access.log');
  const requests = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  return { http, https, log, requests, stop: () => ended(child) };
}

async function listens(port: number, child: ChildProcess, log: () => string): Promise<void> {
  for (let left = 200; left > 0 && child.exitCode === null; left -= 1) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the proxy does not listen: ${log()}`);
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => {
      // Its workers may hold these open.
      for (const stream of child.stdio) stream?.destroy();
      resolve();
    });
    child.kill('SIGTERM');
  });
}
