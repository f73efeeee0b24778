// Positions within addresses, by HL7's extension (http://hl7.org/fhir/STU3/extension-geolocation.html).

import type { Address, Extension } from 'fhir/r3.js';

export const GEOLOCATION = 'http://hl7.org/fhir/StructureDefinition/geolocation';

/** Degrees of the addresses that have a position on the earth, to six decimals. */
export function positionsIn(addresses: readonly Address[] = []): { latitude: number; longitude: number }[] {
  return addresses.flatMap(({ extension = [] }) =>
    extension.flatMap((one) => {
      if (one.url !== GEOLOCATION) return [];
      const [latitude, longitude] = [degreesOf(one, 'latitude'), degreesOf(one, 'longitude')];
      return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [{ latitude, longitude }] : [];
    }),
  );
}

function degreesOf({ extension = [] }: Extension, url: string): number {
  return Math.round((extension.find((part) => part.url === url)?.valueDecimal ?? Number.NaN) * 1e6) / 1e6;
}
