// The pages of a professional and of a structure in the demo, over HTTP, compared with what the directory says.

import { describe, expect, it } from '@jest/globals';
import { mapAround } from '#demo/pages/map.ts';
import { textOf, withReader } from '#support/demo/reader.ts';
import { createPerson } from '#support/person.ts';
import { startService } from '#support/service.ts';

describe('pages of records', () => {
  const REPORT = 'mailto:erreurs+fiches@example.org';
  const on = withReader(() =>
    startService({ adjust: (settings) => ({ ...settings, directory: { ...settings.directory, reportUrl: REPORT } }) }),
  );

  const linksOf = (html: string, path: string) => [
    ...new Set([...html.matchAll(new RegExp(`href="/demo/${path}/([^"?]+)"`, 'g'))].map(([, id]) => id)),
  ];
  const idsOf = (bundle: fhir3.Bundle, type: string) =>
    (bundle.entry ?? []).flatMap(({ resource }) => (resource?.resourceType === type ? [resource.id] : []));

  describe('the page of a professional', () => {
    it('has every place with its structure, telephone and the number of others there', async () => {
      const { html } = await on.reader.open('practitioners/819082680976');
      const roles = await on.reader.ask(
        'PractitionerRole?practitioner=819082680976&_include=PractitionerRole:organization',
      );
      const structures = idsOf(roles, 'Organization');
      expect(structures.length).toBeGreaterThan(2);
      expect(linksOf(html, 'organizations').toSorted()).toEqual(structures.toSorted());
      const { total = 0 } = await on.reader.ask(
        'Practitioner?_has:PractitionerRole:practitioner:organization=F694000027&_count=0',
      );
      const others = html.match(/<a href="([^"]*organization=Organization%2FF694000027)">([^<]*)</);
      expect(others?.[2]).toBe(`${total - 1}\u00a0autres professionnels ici`);
      expect(textOf(await on.reader.visit(others?.[1] ?? ''))).toContain(`${total}\u00a0professionnels`);
      expect(html).toContain('<a class="phone" href="tel:+33261912443">02\u00a061\u00a091\u00a024\u00a043</a>');
    });

    it('has mailboxes with buttons that only a script shows, and a map of the places', async () => {
      const { html } = await on.reader.open('practitioners/819050642552');
      expect(html).toMatch(
        /<button type="button" class="copy" data-copy="vincent\.beldes\.a4@[^"]*" data-copied="Copié" aria-label="[^"]*" hidden>/,
      );
      const mapped = await on.reader.open('practitioners/819082680976');
      expect(mapped.html.match(/<circle class="dot"/g)?.length).toBeGreaterThan(1);
      expect(mapped.html).not.toMatch(/<svg[^>]*style|https?:\/\/[^"]*\.(png|tile)/);
    });

    it('is come back to after a sign-in', async () => {
      const { status, html } = await createPerson(on.service.issuer).visit('/demo/practitioners/819082680976');
      expect(status).toBe(401);
      expect(html).toContain('action="/demo/sign-in?returnTo=practitioners%2F819082680976');
    });
  });

  describe('the page of a structure', () => {
    it('has parent and parts, colleagues with their number, and the neighbours by distance', async () => {
      const { html } = await on.reader.open('organizations/F694000027');
      const { total } = await on.reader.ask(
        'Practitioner?_has:PractitionerRole:practitioner:organization=F694000027&_count=0',
      );
      expect(html).toContain(`Professionnels de cette structure <span class="count">${total}</span>`);
      expect(linksOf(html, 'practitioners')).toHaveLength(10);
      expect(linksOf(html, 'organizations')).toContain('F694000019');
      const distances = [...html.matchAll(/([\d,]+)\u202fkm/g)].map(([, text = '']) => Number(text.replace(',', '.')));
      expect(distances.length).toBeGreaterThan(2);
      expect(distances).toEqual(distances.toSorted((one, other) => one - other));
      const parent = await on.reader.open('organizations/F694000019');
      expect(linksOf(parent.html, 'organizations')).toContain('F694000027');
    });

    it('has its mailboxes by service', async () => {
      const { html } = await on.reader.open('organizations/F484000047');
      const { telecom = [] } = await on.reader.ask<fhir3.Organization>('Organization/F484000047');
      const secure = telecom.filter(({ extension }) => extension);
      expect(secure.length).toBeGreaterThan(3);
      for (const { value = '' } of secure) expect(html).toContain(`data-copy="${value.toLowerCase()}"`);
      expect(html).toContain('<span class="service">Neurologie</span>');
    });
  });

  describe('the map of neighbours', () => {
    const at = (label: string, north: number) => ({ label, position: { latitude: 48 + north, longitude: 2 } });

    it('shows all of them: those that would hide one another, or the place itself, share a marker', () => {
      const { markup } = mapAround(
        { latitude: 48, longitude: 2 },
        [at('A', 0), at('B', 0.0001), at('C', 0.05), at('D', -0.08)],
        10,
        'map',
      );
      const markers = [
        ...markup.matchAll(/<rect [^>]* y="([\d.]+)"[^>]*><title>([^<]*)<\/title><\/rect><text[^>]*>([^<]*)</g),
      ];
      expect(markers.map(([, , names, numbers]) => [names, numbers])).toEqual([
        ['A, B', '1·2'],
        ['C', '3'],
        ['D', '4'],
      ]);
      // Above the point in the middle, which has a radius of 5.
      expect(Number(markers[0]?.[1]) + 14).toBeLessThan(95);
    });
  });

  describe('every record', () => {
    const RECORDS = ['practitioners/819050642552', 'organizations/F694000027'];

    it.each(RECORDS)('%s says where an error is reported, as the CapabilityStatement does', async (path) => {
      const { html } = await on.reader.open(path);
      const record = path.replace('practitioners', 'Practitioner').replace('organizations', 'Organization');
      expect(html).toContain(
        `href="mailto:erreurs%2Bfiches@example.org?subject=${encodeURIComponent(`Erreur dans la fiche ${record}`)}"`,
      );
      expect(textOf({ html })).toMatch(/Fiche modifiée le \d+ \S+ \d{4} à \d\d\u00a0h\u00a0\d\d \(UTC\S*\)\./);
      const { contact } = await on.reader.ask<fhir3.CapabilityStatement>('metadata');
      expect(contact).toEqual([
        { name: 'Errors in records', telecom: [{ system: 'email', value: 'erreurs+fiches@example.org' }] },
      ]);
    });

    it.each(RECORDS)('%s shows its requests, each of which the directory answers', async (path) => {
      const { html } = await on.reader.open(path);
      const commands = [...html.replaceAll('&#39;', "'").matchAll(/<pre tabindex="0">curl[\s\S]*?'([^']+)'<\/pre>/g)];
      expect(commands.length).toBeGreaterThan(1);
      for (const [, url = ''] of commands) {
        const relative = url.replaceAll('&amp;', '&').replace(`${on.service.settings.directory.url}/`, '');
        expect([relative, (await on.reader.ask(relative)).resourceType]).toEqual([relative, 'Bundle']);
      }
    });

    it('leads back to the results that it was found in, in the language that was chosen since', async () => {
      await on.reader.open('practitioners', { name: 'martin', from: '11' });
      const { html } = await on.reader.open('practitioners/819050642552');
      expect(html).toContain('<a href="/demo/practitioners?name=martin&amp;from=11">‹ Retour aux résultats</a>');
    });

    it.each(['practitioners/nobody', 'organizations/a%20b', 'organizations/819082680976'])(
      '%s that is not there leads on',
      async (path) => {
        const { status, html } = await on.reader.open(path);
        expect(status).toBe(404);
        expect(html).toContain('<h1>Cette fiche n’est pas dans l’annuaire</h1>');
      },
    );
  });
});
