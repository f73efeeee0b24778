// CodeSystem: the codes of the edition, open to everybody, as fhir-stu3 has them.

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { synonymsOfLabel } from '#directory/resources/label-synonyms.ts';
import { SPECIALTY } from '#support/directory/edition.ts';
import { indexedDirectory } from '#support/directory/set-up.ts';

interface CodeSystem {
  id: string;
  url: string;
  name: string;
  content: string;
  meta: { versionId: string };
  property: { code: string; type: string }[];
  concept: {
    code: string;
    display?: string;
    designation?: { value: string }[];
    property: { code: string; valueInteger: number }[];
  }[];
}

describe('codes of the edition', () => {
  const on = indexedDirectory();
  const get = (path: string) => request(on.directory.address).get(path);
  const all = async (query = ''): Promise<CodeSystem[]> => {
    const { body } = await get(`/CodeSystem${query}`).expect(200);
    return ((body.entry ?? []) as { resource: CodeSystem }[]).map(({ resource }) => resource);
  };

  it('have the label, what people say for it, and the number of resources that a search finds', async () => {
    const [professions] = await all('?name=profession');
    expect(professions?.concept.map(({ code, display }) => [code, display])).toEqual([
      ['10', 'Médecin'],
      ['21', 'Pharmacien'],
      ['26', 'Audioprothésiste, expert'],
      ['50', 'Sage-femme'],
    ]);
    const [physician] = professions?.concept ?? [];
    expect(physician?.designation).toEqual(synonymsOfLabel('Médecin').map((value) => ({ value })));
    expect(physician?.designation?.length).toBeGreaterThan(2);
    expect(professions?.property).toEqual([expect.objectContaining({ code: 'count', type: 'integer' })]);
    for (const [name, type, parameter] of [
      ['profession', 'Practitioner', 'qualification'],
      ['fonction', 'PractitionerRole', 'role'],
      ['specialite', 'PractitionerRole', 'specialty'],
    ]) {
      const [system] = await all(`?name=${name}`);
      for (const { code, property } of system?.concept ?? []) {
        const value = encodeURIComponent(`${system?.url}|${code}`);
        const found = await get(`/${type}?${parameter}=${value}&_summary=count`).set('Authorization', 'Bearer both');
        expect([code, property]).toEqual([code, [{ code: 'count', valueInteger: found.body.total }]]);
      }
    }
  });

  it('are found by url and _id, read by id with a tag that saves sending them again, and refuse other methods', async () => {
    expect(await all(`?url=${encodeURIComponent(SPECIALTY)}`)).toHaveLength(1);
    expect(await all('?url=urn:none')).toEqual([]);
    expect(await all('?_id=TRE-R21-Fonction,x')).toHaveLength(1);
    const read = await get('/CodeSystem/TRE-R21-Fonction').expect(200);
    const tag = read.headers['etag'] as string;
    await get('/CodeSystem/TRE-R21-Fonction').set('If-None-Match', tag).expect(304);
    await get('/CodeSystem/none').expect(404);
    await request(on.directory.address).put('/CodeSystem/TRE-R21-Fonction').expect(405);
    const page = await get('/CodeSystem?_count=1').expect(200);
    const next = (page.body.link as { relation: string; url: string }[]).find(({ relation }) => relation === 'next');
    const second = await request(on.directory.address).get(
      new URL(next?.url ?? '').pathname.replace(/^.*\/CodeSystem/, '/CodeSystem') + new URL(next?.url ?? '').search,
    );
    expect([second.status, second.body.total]).toEqual([200, 4]);
  });
});
