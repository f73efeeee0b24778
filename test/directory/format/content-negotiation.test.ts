// fhir-stu3, HTTP: "application/fhir+json and application/fhir+xml, charset always explicit, errors too. _format beats
// Accept (json, xml, full types; + may arrive as a blank). No Accept, */* and browsers get JSON; q-lists are honoured.
// Nothing acceptable or an unknown _format: 406"; "_pretty on read and search".

import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { backFromXml, comparable } from '#support/directory/from-xml.ts';
import { behindPublicBase, FHIR_JSON } from '#support/directory/set-up.ts';

describe('content negotiation', () => {
  const { agent, get } = behindPublicBase();
  const FHIR_XML = 'application/fhir+xml; charset=utf-8';

  /** One address of each kind, and an error of each kind, with their status. */
  const ANSWERS: readonly (readonly [status: number, path: string])[] = [
    [200, '/Practitioner?name=duval'],
    [200, '/Practitioner?name=duval&_count=0'],
    [200, '/Practitioner?name=nobody'],
    [200, '/Practitioner?name=duval&_summary=true'],
    [200, '/PractitionerRole?practitioner=prat-1&_include=*'],
    [200, '/Practitioner/prat-1'],
    [200, '/PractitionerRole/prat-1-a'],
    [200, '/Practitioner/prat-1/_history/1'],
    [200, '/Organization/org-1'],
    [200, '/metadata'],
    [200, '/'],
    [200, '/Practitioner/_search?name=duval'],
    [200, '/SearchParameter?_count=5'],
    [400, '/Practitioner?foo=bar'],
    [404, '/Practitioner/nobody'],
    [404, '/Practitioner/prat-1/_history/9'],
    [404, '/Practitioner/prat-1/_history'],
    [404, '/Patient'],
  ];

  /** Without charset: what `type` says of the answer is the format alone. */
  const asText = (path: string) =>
    get(path)
      .buffer(true)
      .parse((res, done) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => done(null, Buffer.concat(chunks).toString('utf8')));
      });

  const xmlText = (answer: Response) => answer.body as string;

  describe('fhir-stu3 HTTP: XML', () => {
    it.each(ANSWERS)('%i %s says in XML what it says in JSON', async (status, path) => {
      const json = await get(path);
      const xml = await asText(path).set('Accept', 'application/fhir+xml');
      expect([json.status, xml.status]).toEqual([status, status]);
      expect(xml.headers['content-type']).toBe(FHIR_XML);
      expect(json.headers['content-type']).toBe(FHIR_JSON);
      expect(xmlText(xml)).toMatch(
        /^<\?xml version="1\.0" encoding="UTF-8"\?><[A-Z]\w+ xmlns="http:\/\/hl7\.org\/fhir">/,
      );
      expect(backFromXml(xmlText(xml))).toEqual(comparable(json.body));
    });

    it('RFC 9111: one Cache-Control, of found, refused, compressed and unchanged alike; no browser keeps XML', async () => {
      for (const path of ['/Practitioner?name=duval', '/Practitioner/prat-1', '/metadata', '/Patient'])
        for (const [name, value] of Object.entries({ 'Accept-Encoding': 'gzip', 'If-None-Match': '*' }))
          for (const [type, policy] of Object.entries({ xml: 'no-store', json: 'private, no-cache' })) {
            const { headers } = await get(path).set('Accept', `application/fhir+${type}`).set(name, value);
            expect([path, name, headers['cache-control']]).toEqual([path, name, policy]);
          }
    });
  });

  describe('fhir-stu3 HTTP: content negotiation', () => {
    const JSON_ALL = 'application/fhir+json;q=0, application/json;q=0, application/json+fhir;q=0, text/json;q=0';

    it.each([
      // Accept, _format, what is answered
      ['application/fhir+xml', '', 'xml'],
      ['APPLICATION/FHIR+XML', '', 'xml'],
      ['application/xml', '', 'xml'],
      ['text/xml', '', 'xml'],
      ['application/xml+fhir', '', 'xml'],
      ['application/fhir+xml;q=1.0, application/fhir+json;q=1.0', '', 'json'],
      ['application/fhir+xml;q=0, */*', '', 'json'],
      [`${JSON_ALL}, */*`, '', 'xml'],
      ['', '', 'json'],
      [undefined, '', 'json'],
      ['application/json+fhir', '', 'json'],
      ['application/*', '', 'json'],
      // A browser, and a page that asks for nothing else
      ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', '', 'json'],
      // The HTTP client of Java, unless it is told otherwise
      ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', '', 'json'],
      ['text/html, application/xml', '', 'xml'],
      ['text/html, application/fhir+xml, */*', '', 'xml'],
      ['application/fhir+xml; fhirVersion=3.0.2, application/fhir+json; fhirVersion=4.0', '', 'xml'],
      ['application/fhir+json', 'xml', 'xml'],
      ['application/fhir+xml', 'json', 'json'],
      ['*/*', 'XML', 'xml'],
      ['*/*', 'text/xml', 'xml'],
      ['*/*', 'application/xml', 'xml'],
      ['*/*', 'application/xml%2Bfhir', 'xml'],
      ['*/*', 'application/fhir%2Bxml', 'xml'],
      ['*/*', 'application/fhir+xml;charset=utf-8', 'xml'],
    ])('Accept: %s with _format=%s gives %s', async (accept, format, given) => {
      // The other kinds of address choose their format in the same place, which ANSWERS shows.
      for (const path of ['/Practitioner/prat-1?', '/Practitioner/nobody?']) {
        const asked = get(format === '' ? path : `${path}&_format=${format}`);
        const answer = await (accept === undefined ? asked.unset('Accept') : asked.set('Accept', accept));
        expect(answer.status).toBe(path.includes('nobody') ? 404 : 200);
        expect(answer.headers['content-type']).toBe(given === 'xml' ? FHIR_XML : FHIR_JSON);
      }
    });

    it.each([
      ['text/html', '', FHIR_JSON],
      ['application/fhir+json; fhirVersion=4.0', '', FHIR_JSON],
      ['application/fhir+xml;q=0', '', FHIR_JSON],
      // What would be sent is excluded, lies in no range that is named, or has a quality that is none.
      ['application/fhir+json;q=0, application/json', '', FHIR_JSON],
      ['text/*', '', FHIR_JSON],
      ['application/fhir+xml;q=.', '', FHIR_JSON],
      ['*/*', 'yaml', FHIR_JSON],
      ['*/*', 'application/fhir+turtle', FHIR_JSON],
      // The error itself comes in what Accept names.
      ['application/fhir+xml', 'yaml', FHIR_XML],
    ])('Accept: %s with _format=%s is 406', async (accept, format, type) => {
      for (const path of ['/Practitioner?name=duval', '/metadata?']) {
        const answer = await get(format === '' ? path : `${path}&_format=${format}`).set('Accept', accept);
        expect(answer.status).toBe(406);
        expect(answer.headers['content-type']).toBe(type);
      }
    });

    it('the format that a form asks for is that of the refusal too, whatever is wrong', async () => {
      const post = (token: string, form: string) =>
        agent().post('/Practitioner/_search').type('form').set('Authorization', `Bearer ${token}`).send(form);
      for (const [token, status] of [
        ['expired', 401],
        ['organizations', 403],
      ] as const) {
        const { status: given, headers } = await post(token, '_format=xml&name=duval');
        expect([given, headers['content-type']]).toEqual([status, FHIR_XML]);
      }
      // The token comes first, also before a form that is too large.
      expect((await post('expired', `name=${'a'.repeat(17_000)}`)).status).toBe(401);
    });
  });

  describe('fhir-stu3 HTTP: _pretty', () => {
    it.each(ANSWERS)('%i %s has line breaks with true, and says the same', async (_status, path) => {
      const and = path.includes('?') ? '&' : '?';
      const plain = await get(path);
      const pretty = await get(`${path}${and}_pretty=true`);
      const withoutLinks = (text: string) => JSON.parse(text.replaceAll(/[?&]_pretty=true/g, ''));
      expect(plain.text.split('\n')).toHaveLength(1);
      expect(pretty.text.split('\n').length).toBeGreaterThan(5);
      expect(withoutLinks(pretty.text)).toEqual(JSON.parse(plain.text));
      expect((await get(`${path}${and}_pretty=false`)).text.split('\n')).toHaveLength(1);
      const xml = xmlText(await asText(`${path}${and}_pretty=true&_format=xml`));
      expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<\w+ xmlns="http:\/\/hl7\.org\/fhir">\n {2}</);
    });

    it.each(['yes', '', 'true&_pretty=false'])('_pretty=%s is 400', async (value) => {
      for (const path of ['/Practitioner?name=duval', '/Practitioner/prat-1?'])
        expect((await get(`${path}&_pretty=${value}`)).status).toBe(400);
    });
  });
});
