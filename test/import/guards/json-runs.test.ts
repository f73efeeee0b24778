// Directory data, section 4: in the JSON feed of FINESS, a legal entity is the unit of windows. Its establishments often share what is odd.

import { describe, expect, it } from '@jest/globals';
import { establishment, finessJson, legalEntity } from '#support/import/finess-json-files.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

const ALONE = 200;
const NAME = 'CENTRE HOSPITALIER DES LILAS';

describe('import: runs of legal entities', () => {
  const bench = openedForEach(openBench);

  const numberOf = (at: number) => String(690_100_000 + at);
  const phoneOf = (at: number) => `01${String(99_000_000 + at)}`;

  /** An establishment under its number; `others`: its telephone is another one than in the activities. */
  function site(at: number, others: boolean) {
    const { informationsGeneralesEGE, ...rest } = establishment();
    const telephone = phoneOf(others ? at + 5000 : at);
    const contact = [{ typeContact: { roleContact: '01' }, telecom: { telephone } }];
    return {
      ...rest,
      contact,
      adresse: [],
      informationsGeneralesEGE: { ...(informationsGeneralesEGE as object), numFinessEge: numberOf(at) },
    };
  }

  function entity(number: number, sites: readonly object[]) {
    const { informationsGeneralesPMEJ, ...rest } = legalEntity({ ege: sites });
    const own = { ...(informationsGeneralesPMEJ as object), numFinessPm: String(690_900_000 + number) };
    return { ...rest, informationsGeneralesPMEJ: own };
  }

  /** What `pairs` finds where so many legal entities of so many establishments each have other telephones. */
  async function found(entities: number, of: number): Promise<string[]> {
    const alone = Array.from({ length: ALONE }, (_, at) => entity(at, [site(at, false)]));
    const groups = Array.from({ length: entities }, (_, group) =>
      entity(
        ALONE + group,
        Array.from({ length: of }, (_, at) => site(ALONE + group * of + at, true)),
      ),
    );
    const people = Array.from({ length: ALONE + entities * of }, (_, at) =>
      activity({ 1: String(19_000_000_000 + at), 7: `NOM${at}`, 21: numberOf(at), 23: '', 24: NAME, 40: phoneOf(at) }),
    );
    const { guards } = await bench.run([
      bench.file('finess.json', finessJson([...alone.slice(0, 60), ...groups, ...alone.slice(60)])),
      bench.file('pa.txt', registerText('activities', people)),
    ]);
    const failed = guards.filter(({ name, passed, notable }) => name === 'pairs' && (!passed || notable));
    return failed.map(({ figures }) => figures).filter((figures) => figures.includes('telephone numbers differ'));
  }

  it('one with sixty odd establishments is none, and sixty legal entities are', async () => {
    expect(await found(1, 60)).toEqual([]);
    expect(await found(60, 1)).toEqual([
      expect.stringMatching(/\d+ of \d+ telephone numbers differ .* in legal entities \d+ to \d+ of .*finess\.json/),
    ]);
  });
});
