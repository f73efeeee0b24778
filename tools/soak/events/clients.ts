// Edits of clients.yaml: a new application, a faulty edit, another secret; each has to hold at both instances within seconds.

import { newClientSecret } from '#shared/crypto/client-secret.ts';
import { holds, same } from '#tools/soak/load/record.ts';
import { clientToken, onBoth, type SoakEvent } from './event.ts';

/** Seconds within which an edit is in force. */
const WITHIN = 15;
let added = 0;

export const addClient: SoakEvent = {
  name: 'clients.yaml: a new application, and its end',
  async run(world) {
    const { clients } = world.site;
    added += 1;
    const [id, secret] = [`nouveau-${added}`, newClientSecret()];
    const began = performance.now();
    clients.add(id, secret);
    await onBoth(
      world,
      'a token for the new application',
      WITHIN,
      async (port) => (await clientToken(port, id, secret.secret)) === 200,
    );
    const usable = (performance.now() - began) / 1000;
    clients.remove(id);
    await onBoth(
      world,
      'a refusal of the application that went',
      WITHIN,
      async (port) => (await clientToken(port, id, secret.secret)) === 401,
    );
    return `usable at both instances within ${usable.toFixed(1)} s, and refused once it was taken out`;
  },
};

export const faultyEdit: SoakEvent = {
  name: 'clients.yaml: a faulty edit',
  async run(world) {
    const { clients, instances, command } = world.site;
    const from = new Map(instances.map((one) => [one.port, one.logLength()]));
    const spoilt = clients.spoil();
    try {
      const { code, stderr } = await command(['check']);
      same(code, 1, 'the exit code of `hygie check`');
      const faults = stderr.match(/Did you mean|callbackUrls/g)?.length ?? 0;
      holds(faults > 0, `check does not name the fault: ${stderr.slice(0, 300)}`);
      await onBoth(world, 'a refusal of the edit in the log', WITHIN, async (port) =>
        instances.some((one) => one.port === port && one.logged('the edit is refused', from.get(port) ?? 0)),
      );
      // The last good version stays in force.
      await onBoth(
        world,
        'a token by the last good version',
        WITHIN,
        async (port) => (await clientToken(port, 'copie', clients.secretOf('copie'))) === 200,
      );
    } finally {
      spoilt.mend();
    }
    return 'refused by both instances, the last good version stayed in force';
  },
};

export const rotateSecret: SoakEvent = {
  name: 'clients.yaml: another secret of a server',
  async run(world) {
    const { clients, succeed } = world.site;
    const before = clients.secretOf('copie');
    const next = JSON.parse(await succeed(['clients', 'secret', 'copie', '--json'])) as {
      secret: string;
      hash: string;
    };
    const rotation = clients.rotate('copie', next);
    const accepts = (secret: string) => async (port: number) => (await clientToken(port, 'copie', secret)) === 200;
    await onBoth(world, 'a token for the new secret', WITHIN, accepts(next.secret));
    await onBoth(world, 'a token for the old secret beside it', WITHIN, accepts(before));
    rotation.use();
    // Requests under way still show the old one.
    await new Promise((resolve) => setTimeout(resolve, 5000));
    rotation.drop();
    await onBoth(
      world,
      'a refusal of the old secret',
      WITHIN,
      async (port) => (await clientToken(port, 'copie', before)) === 401,
    );
    return 'both held for a while, then the new one alone';
  },
};
