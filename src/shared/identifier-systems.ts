// The systems of national identifiers. Each system stands for the register that assigned the number.

export const IDENTIFIER_SYSTEMS = {
  nationalPerson: 'urn:oid:1.2.250.1.71.4.2.1',
  rpps: 'https://rpps.esante.gouv.fr',
  nationalStructure: 'urn:oid:1.2.250.1.71.4.2.2',
  finess: 'https://finess.esante.gouv.fr',
  sirene: 'https://sirene.fr',
} as const;
