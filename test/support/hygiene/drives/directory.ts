// Drives the directory: searches for names, addresses and identifiers in every way in which they can be sent, exports, and errors.

import type { Stage } from '#support/hygiene/stage.ts';
import { freshTokens } from './endpoints.ts';

const AT = '/directory/v2';
const DIRECTORY_TYPES = ['Practitioner', 'Organization', 'PractitionerRole', 'SearchParameter', 'CodeSystem'];

export async function driveDirectory(stage: Stage): Promise<void> {
  const { canaries, send } = stage;
  const { access_token: token } = await freshTokens(stage);
  const headers = { authorization: `Bearer ${token}`, accept: 'application/fhir+json' };
  const word = () => canaries.make('search', 'client');
  const get = (path: string, more: Record<string, string> = {}) =>
    send('client', AT + path, { headers: { ...headers, ...more } });
  for (const type of DIRECTORY_TYPES) {
    for (const query of [
      () => `name=${word()}`,
      () => `name:exact=${word()}&address-city=${word()}&telecom=${word()}%40x.example`,
      () => `identifier=urn:oid:1.2|${word()}`,
      () => `_id=${word()}&_format=xml`,
      () => `${word()}=${word()}`,
      () => `_sort=${word()}&_count=${word()}`,
      () => `_lastUpdated=${word()}`,
      () => `page=${word()}&_page=${word()}`,
      () => `name=%E9${word()}%00`,
    ]) {
      await get(`/${type}?${query()}`);
      const body = query();
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      await send('client', `${AT}/${type}/_search`, { method: 'POST', headers: form, body });
    }
    await get(`/${type}/_search?name=${word()}`);
    const page = (await (await get(`/${type}?_count=2`)).json()) as { link?: { relation: string; url: string }[] };
    const next = page.link?.find(({ relation }) => relation === 'next')?.url;
    if (next) await send('client', next, { headers });
    await get(`/${type}/${word()}`);
    await get(`/${type}/${word()}/_history/${word()}`);
    await get(`/${type}/_history`);
    await get(`/${type}/$export?_since=${word()}`, { prefer: 'respond-async' });
    await get(`/${type}/$export`, { prefer: 'respond-async', 'accept-encoding': word() });
  }
  for (const path of [
    '/metadata',
    '/',
    `/?${word()}=${word()}`,
    '/.well-known/smart-configuration',
    '/.well-known/openid-configuration',
  ]) {
    await get(path);
  }
  for (const path of [
    '/_search',
    '/_history',
    '/$export/none',
    '/$export/none/none',
    `/${word()}`,
    `/${word()}/_search`,
  ]) {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS']) {
      await send('client', `${AT}${path}`, { method, headers, ...(method === 'POST' && { body: `name=${word()}` }) });
    }
  }
  const kickOff = await get('/$export', { prefer: 'respond-async' });
  const status = kickOff.headers.get('content-location');
  if (status) {
    const manifest = (await (await send('client', status, { headers })).json()) as { output?: { url: string }[] };
    await send('client', manifest.output?.[0]?.url ?? status, { headers });
    await send('client', status, { method: 'DELETE', headers });
  }
  const requests = [
    { method: 'GET', url: `Practitioner?name=${word()}&${word()}=${word()}` },
    { method: 'GET', url: `Practitioner/${word()}`, ifNoneMatch: word() },
    { method: 'GET', url: `PractitionerRole?practitioner.name=${word()}&organization.address=${word()}` },
    { method: word(), url: word(), ifModifiedSince: word() },
  ];
  const batch = { resourceType: 'Bundle', type: 'batch', entry: requests.map((request) => ({ request })) };
  for (const body of [JSON.stringify(batch), JSON.stringify({ ...batch, type: word() }), `{"${word()}`])
    for (const path of [AT, `${AT}/`])
      await send('client', path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/fhir+json' },
        body,
      });
  await send('client', `${AT}/`, { method: 'OPTIONS' });
  // A token in the address, and a search without one.
  await send('stranger', `${AT}/Practitioner?name=${canaries.make('search', 'stranger')}&access_token=${token}`);
  await send('stranger', `${AT}/Practitioner?name=${canaries.make('search', 'stranger')}`);
}
