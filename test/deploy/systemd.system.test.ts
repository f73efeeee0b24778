// The first production start (docs/operating/first-production-start.md) on a real systemd, with a real PostgreSQL: the unit as it is
// shipped starts two instances, restarts them one after the other, and brings one back that was killed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase } from '#support/databases.ts';
import { startSystemd, systemdRuns } from '#support/deploy/systemd.ts';
import { blocksOf } from '#support/docs/markdown.ts';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

(systemdRuns() ? describe : describe.skip)('deploy/hygie@.service on systemd', () => {
  const database = openedForAll(() => openTestDatabase('postgresql'));
  const systemd = openedForAll(() => startSystemd(newFolder()));
  const ports: string[] = [];
  const ready = (port: string | undefined) =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const property = async (port: string | undefined, name: string) =>
    (await systemd.run(`systemctl show --value --property=${name} hygie@${port}`)).trim();
  const processOf = (port: string | undefined) => property(port, 'MainPID');

  beforeAll(async () => {
    ports.push(String(await freePort()), String(await freePort()));
    const { url } = database.settings as { url: string };
    await systemd.run(`
      useradd --system --home-dir /var/lib/hygie hygie
      cd /opt/hygie
      install -d -m 0755 /etc/hygie
      install -d -m 0700 /etc/hygie/secrets
      cp config/clients.yaml /etc/hygie/
      echo 'HYGIE_ISSUER=https://connect.example.org' > /etc/hygie/hygie.env
      openssl rand -base64 32 > /etc/hygie/secrets/key-secret
      echo '${url}' > /etc/hygie/secrets/database-url
      printf 'namespace: https://connect.example.org/ns\\nproxies: 1\\nlisten: { drain: 1s }\\n' > /etc/hygie/service.yaml
      cp deploy/hygie@.service /etc/systemd/system/
      install -m 0755 deploy/hygie.sh /usr/local/bin/hygie
      systemctl daemon-reload
      systemctl enable --now ${ports.map((port) => `hygie@${port}`).join(' ')} ||
        { journalctl --no-pager --lines 40 >&2; exit 1; }`);
  });

  it('starts two instances by the commands of the page, and hygie.sh has their variables', async () => {
    for (const port of ports)
      expect([await ready(port), await property(port, 'ActiveState')]).toEqual([true, 'active']);
    expect(await systemd.run('hygie check')).toContain('Configuration is valid');
    await systemd.run(
      `printf %s 'eleven green lamps' | hygie accounts add --email zoe@clinic.example --given Zoé --family Martin --password-stdin`,
    );
    expect(await systemd.run('hygie accounts list')).toContain('zoe@clinic.example');
  });

  it('security.md: the account of the service reads no secret of root, and writes to its own folder alone', async () => {
    const asHygie = (command: string) => systemd.run(`runuser -u hygie -- ${command}`);
    await expect(asHygie('cat /etc/hygie/secrets/key-secret')).rejects.toThrow('Permission denied');
    const status = await systemd.run(`cat /proc/${await processOf(ports[0])}/status`);
    expect(status).toMatch(/^Uid:\t(?!0\t)/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    const inside = (command: string) =>
      systemd.run(`nsenter --target "$(systemctl show --value -p MainPID hygie@${ports[0]})" --mount ${command}`);
    await expect(inside('touch /etc/hygie/written')).rejects.toThrow('Read-only file system');
    await inside('touch /var/lib/hygie/written');
  });

  it('restarted one after the other, one of them is ready at each moment', async () => {
    const before = await Promise.all(ports.map(processOf));
    let over = false;
    const looks: boolean[] = [];
    const watching = (async () => {
      while (!over) {
        looks.push((await Promise.all(ports.map(ready))).some(Boolean));
        await setTimeout(20);
      }
    })();
    await systemd.run(`systemctl restart hygie@${ports[0]} && systemctl restart hygie@${ports[1]}`);
    over = true;
    await watching;
    expect(looks.length).toBeGreaterThan(10);
    expect(looks).not.toContain(false);
    const after = await Promise.all(ports.map(processOf));
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('killed, it comes back by itself', async () => {
    const [port] = ports;
    const before = await processOf(port);
    const restarts = Number(await property(port, 'NRestarts'));
    await systemd.run(`kill -9 ${before}`);
    // Not before the start is over: it waits for the first answer.
    const isBack = async () =>
      Number(await property(port, 'NRestarts')) === restarts + 1 && (await property(port, 'ActiveState')) === 'active';
    await until(isBack, 'it is back');
    expect(await ready(port)).toBe(true);
    expect(await processOf(port)).not.toBe(before);
  });

  it('a start that fails says why, with the remedy, in the journal', async () => {
    const [port] = ports;
    await systemd.run(`systemctl stop hygie@${port} && echo 'clientz: []' > /etc/hygie/clients.yaml`);
    expect([await property(port, 'Result'), await ready(port)]).toEqual(['success', false]);
    await expect(systemd.run(`systemctl start hygie@${port}`)).rejects.toThrow();
    const journal = await systemd.run(`journalctl --no-pager -u hygie@${port}`);
    expect(journal).toContain('clientz');
    expect(journal).toMatch(/Remedy: /);
    // The other one serves on with what it read.
    expect(await ready(ports[1])).toBe(true);
    await systemd.run(
      `cp /opt/hygie/config/clients.yaml /etc/hygie/ && systemctl reset-failed hygie@${port} && systemctl start hygie@${port}`,
    );
    expect(await ready(port)).toBe(true);
  });

  it('the backup of the night (docs/operating/disaster-recovery.md) is made and verified', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operating/disaster-recovery.md'), 'utf8');
    const units = blocksOf(page).filter(({ language }) => language === 'ini');
    const files = units.map(({ text }) => text).join('\n');
    for (const [, name = '', text = ''] of files.matchAll(/^# (\/etc\/systemd\/system\/\S+)\n((?:(?!^# \/).*\n?)*)/gm))
      await systemd.run(`cat > ${name} <<'END'\n${text}\nEND`);
    await systemd.run(`
      install -d -m 0700 -o hygie -g hygie /backup
      systemctl daemon-reload
      systemctl enable --now hygie-backup.timer
      systemctl start hygie-backup.service`);
    expect(await systemd.run('systemctl list-timers --no-pager hygie-backup.timer')).toContain('hygie-backup.service');
    expect((await systemd.run('ls /backup/*/')).split('\n')).toContain('manifest.json');
  });
});
