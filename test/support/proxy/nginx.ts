// nginx in front of several instances, as its documentation has it, where the program is there.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../until.ts';

/** undefined where nginx is not installed. */
export const NGINX = [
  '/usr/sbin/nginx',
  '/usr/local/sbin/nginx',
  '/usr/local/bin/nginx',
  '/opt/homebrew/bin/nginx',
].find((file) => existsSync(file));

export interface ReverseProxy {
  stop(): Promise<void>;
}

/** Starts nginx on `port` of the loopback address; `keepAlive` is the number of idle connections to the instances that it keeps. */
export async function startNginx(
  folder: string,
  port: number,
  instances: readonly number[],
  keepAlive: number,
): Promise<ReverseProxy> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, port, instances, keepAlive));
  const child = spawn(NGINX ?? 'nginx', ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'inherit' });
  const ended = once(child, 'exit');
  await until(() => answers(port) || child.exitCode !== null, 'nginx listens');
  if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
  return {
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function configuration(folder: string, port: number, instances: readonly number[], keepAlive: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
master_process off;
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n  ')}
  upstream hygie {
    ${instances.map((instance) => `server 127.0.0.1:${instance};`).join('\n    ')}
    ${keepAlive > 0 ? `keepalive ${keepAlive};` : ''}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://hygie;
      ${keepAlive > 0 ? 'proxy_http_version 1.1;\n      proxy_set_header Connection "";' : ''}
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_buffer_size 16k;
      proxy_buffers 8 16k;
    }
  }
}
`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.once('close', () => resolve(false)).end();
  });
}
