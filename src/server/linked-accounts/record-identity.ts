// Extracts the identifying data of a person or structure from a directory resource.

import type { Organization, Practitioner } from 'fhir/r3.js';
import { CODE_SYSTEMS } from '#import/mapping/code-systems.ts';
import type { RecordIdentity } from '#store/accounts/links/link-changes.ts';

/** Reads the JSON text of a Practitioner or an Organization. Members that are empty in the resource are absent. */
export function identityOf(json: string): RecordIdentity {
  const resource = JSON.parse(json) as Practitioner | Organization;
  return resource.resourceType === 'Organization' ? structure(resource) : person(resource);
}

function person({ name = [], qualification = [] }: Practitioner): RecordIdentity {
  const { given = [], family } = name.find(({ use }) => use === 'official') ?? name[0] ?? {};
  const names = given.filter(Boolean).join(' ');
  const codings = qualification.flatMap(({ code }) => code.coding ?? []);
  const professions = codings.flatMap(({ system, code, display = '' }) =>
    system === CODE_SYSTEMS.profession && code !== undefined ? [[code, display]] : [],
  );
  return {
    ...(names && { given: names }),
    ...(family && { family }),
    ...(professions.length > 0 && { professions: Object.fromEntries(professions) }),
  };
}

function structure({ name, address = [] }: Organization): RecordIdentity {
  const postalCode = address.find((one) => one.postalCode)?.postalCode;
  return { ...(name && { name }), ...(postalCode !== undefined && { postalCode }) };
}

/** Examples: `Jeanne MARTIN, Médecin`; `CH DE LYON, 69003`; empty if nothing is known. */
export function identityText({ given, family, professions = {}, name, postalCode }: RecordIdentity): string {
  const called = [given, family, name].filter(Boolean).join(' ');
  const more = [...Object.entries(professions).map(([code, label]) => label || code), postalCode];
  return [called, ...more].filter(Boolean).join(', ');
}
