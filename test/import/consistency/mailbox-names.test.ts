// SEC-81: a letter to an address with the name of somebody else goes to a stranger. Which addresses are taken for whose.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { createMailboxComparison, type Fit, fitOf } from '#import/consistency/mailboxes.ts';
import { A, M } from '#import/registers/person-columns.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

const TABLE: readonly (readonly [local: string, family: string, given: string, fit: Fit])[] = [
  ['jean.martin', 'MARTIN', 'Jean', 'own'],
  ['JEAN.MARTIN.5', 'MARTIN', 'JEAN', 'own'],
  ['martin.jean', 'MARTIN', 'Jean', 'own'],
  ['j.martin', 'MARTIN', 'Jean', 'own'],
  ['jmartin', 'MARTIN', 'Jean', 'own'],
  ['martinj', 'MARTIN', 'Jean', 'own'],
  ['martin69', 'MARTIN', 'Jean', 'own'],
  ['dr.martin', 'MARTIN', 'Jean', 'own'],
  ['cabinet-martin', 'MARTIN', 'Jean', 'own'],
  ['jean.durand', 'MARTIN', 'Jean', 'own'],
  ['jeanne.dupuis', 'MARTIN', 'Jeanne', 'own'],
  ['sebastien.olides', 'OLIDÈS', 'SÉBASTIEN', 'own'],
  ['paul.chevalier-mancy.j', 'CHEVALIER-MANCY', 'Paul', 'own'],
  ['chevaliermancy', 'CHEVALIER MANCY', 'Paul', 'own'],
  ['m.legall', 'LE GALL', 'Maud', 'own'],
  ['jeanpierre.roy', 'DURAND', 'Jean-Pierre', 'own'],
  ['p.darc', "D'ARC", 'Pauline', 'own'],
  ['li.wu', 'WU', 'Li', 'own'],
  ['x.ho.3', 'HO', 'Anna', 'own'],
  ['alex.b', 'BERNARD', 'Alexandre', 'own'],
  ['jean.charrtoneau', 'CHARRTONNEAU', 'Leïla', 'own'],
  ['luc.marti', 'MARTINEZ', 'Anna', 'own'],
  ['claire.petit', 'MARTIN', 'Anna', 'other'],
  ['petit.claire.4', 'MARTIN', 'Anna', 'other'],
  ['CLAIRE.PETIT', 'MARTIN', 'ANNA', 'other'],
  ['claire-petit-roy', 'MARTIN', 'Anna', 'other'],
  ['li.wu', 'MARTIN', 'Anna', 'other'],
  ['hélène.béraud', 'MARTIN', 'Anna', 'other'],
  ['c.petit', 'MARTIN', 'Jean', 'other'],
  ['petit.c', 'MARTIN', 'Jean', 'other'],
  ['dr.claire.petit', 'MARTIN', 'Anna', 'other'],
  ['pr.claire.petit', 'MARTIN', 'Anna', 'other'],
  ['claire.petit.medecin', 'MARTIN', 'Anna', 'other'],
  ['dr.c.petit', 'MARTIN', 'Jean', 'other'],
  ['dr.a.petit', 'MARTIN', 'Anna', 'neutral'],
  ['medecin.de.garde', 'MARTIN', 'Anna', 'neutral'],
  ['medecin.coordonnateur.lilas', 'MARTIN', 'Anna', 'neutral'],
  ['a.petit', 'MARTIN', 'Anna', 'neutral'],
  ['petit', 'MARTIN', 'Anna', 'neutral'],
  ['cpetit', 'MARTIN', 'Anna', 'neutral'],
  ['dr.petit', 'MARTIN', 'Anna', 'neutral'],
  ['secretariat.cardiologie', 'MARTIN', 'Anna', 'neutral'],
  ['pharmacie.du.port', 'MARTIN', 'Anna', 'neutral'],
  ['ch-lyon.urgences', 'MARTIN', 'Anna', 'neutral'],
  ['cabinet.medical.lilas', 'MARTIN', 'Anna', 'neutral'],
  ['10003456789', 'MARTIN', 'Anna', 'neutral'],
  ['am', 'MARTIN', 'Anna', 'neutral'],
];

describe('SEC-81 an address is held against a name', () => {
  it.each(TABLE)('%s beside %s %s: %s', (local, family, given, fit) => {
    expect(fitOf(`${local}@medecin.mssante.example`, { family, given })).toBe(fit);
  });

  it('the domain says nothing about the owner', () => {
    expect(fitOf('claire.petit@martin.example', { family: 'MARTIN', given: 'Anna' })).toBe('other');
  });
});

describe('SEC-81 addresses with the name of another person', () => {
  const place = { source: { file: 3, report: { name: 'mss.txt' } }, number: 7 };
  const owner = (family: string, given: string) =>
    Object.assign(Array(56).fill(''), { [A.family]: family, [A.given]: given });
  const mailbox = (address: string, family = '', given = '') =>
    Object.assign(Array(31).fill(''), { [M.address]: address, [M.family]: family, [M.given]: given });

  it('are listed with both names, unless the register of activities has the name of the address', () => {
    const collector = createCollector();
    const compare = createMailboxComparison(collector);
    compare('8100', mailbox('claire.petit@h.example', 'MARTIN', 'Anna'), place, owner('MARTIN', 'Anna'));
    compare('8101', mailbox('claire.petit@h.example'), place, owner('MARTIN', 'Anna'));
    compare('8102', mailbox('claire.petit@h.example', 'MARTIN', 'Anna'), place, owner('PETIT', 'Claire'));
    compare('8103', mailbox('secretariat.sud@h.example', 'MARTIN', 'Anna'), place, owner('MARTIN', 'Anna'));
    const reason = '"claire.petit@h.example" beside "MARTIN Anna" (mss.txt, line 7)';
    expect(collector.doubtful()).toEqual([
      { kind: 'mailbox-of-another', reference: 'Practitioner/8100', reason },
      { kind: 'mailbox-of-another', reference: 'Practitioner/8101', reason },
    ]);
    const [names, runs] = collector.pairs.all();
    expect(names).toMatchObject({ key: 'mailboxNames', file: 3, checked: 4, odd: 4, mixedChecked: 3, mixedOdd: 3 });
    expect(runs).toMatchObject({ key: 'mailboxRuns', checked: 3, odd: 3 });
  });

  it('are all counted, and the first 200 listed, so that other doubts keep their room', () => {
    const collector = createCollector();
    const compare = createMailboxComparison(collector);
    for (let number = 0; number < 300; number++)
      compare(`8${1000 + number}`, mailbox('claire.petit@h.example', 'MARTIN', 'Anna'), place, owner('MARTIN', 'Anna'));
    expect(collector.doubtful()).toHaveLength(200);
    expect(collector.warnings()).toMatchObject([{ kind: 'mailbox-of-another', count: 300 }]);
  });
});

describe('SEC-81 an address of another shape', () => {
  const bench = openedForEach(openBench);

  it.each(['jean.martin@', 'jean.martin', 'mailto:jean.martin@h.example', '<jean@h.example>', 'jean martin@h.example'])(
    '%s is never served, of a person or of a structure',
    async (address) => {
      const people = Array.from({ length: 200 }, (_, index) =>
        activity({ 1: `190000${String(index).padStart(5, '0')}` }),
      );
      const personal = (id: string, value: string) => ({ 0: 'PER', 1: value, 4: id, 9: 'MARTIN', 10: 'Jeanne' });
      const boxes = Array.from({ length: 200 }, (_, index) =>
        personal(`8190000${String(index).padStart(5, '0')}`, `jeanne.martin.${index}@h.example`),
      );
      const structure = { 0: 'ORG', 1: `org-${address}`, 4: '', 5: 'FINESS', 6: '690000013' };
      const report = await bench.run(
        [
          bench.file('pa', registerText('activities', people)),
          bench.file('mss', registerText('mailboxes', [personal('819000000000', address), ...boxes, structure])),
        ],
        { accept: [{ name: 'unusable-lines' }] },
      );
      expect(report.outcome).toBe('imported');
      expect(report.linesLeftOut.examples.map(({ reason }) => reason)).toEqual(['no mail address', 'no mail address']);
      const person = JSON.stringify(await bench.read('Practitioner', '819000000000'));
      expect(person).toMatch('"jeanne.martin.0@h.example"');
      expect(person).not.toMatch(`"${address}"`);
      expect(await bench.read('Organization', 'F690000013')).toBeUndefined();
    },
  );
});
