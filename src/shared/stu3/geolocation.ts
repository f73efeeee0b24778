// Positions within addresses, in HL7's extension (http://hl7.org/fhir/STU3/extension-geolocation.html).

import type { Address, Extension } from 'fhir/r3.js';

export const GEOLOCATION = 'http://hl7.org/fhir/StructureDefinition/geolocation';

/** Returns the positions of addresses in degrees, to six decimals. Positions that are not on the earth are left out. */
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
