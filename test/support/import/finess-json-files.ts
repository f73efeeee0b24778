// Invented files of the FINESS JSON feed, with the names of the published schema.

/** A JSON object by the names of the flow. */
export type Names = Record<string, unknown>;

/** The text of a file. The groups come first, as they do in the published ones. */
export function finessJson(pmej: readonly unknown[]): string {
  const root = { schemaVersion: 'v1.0.0', generatedAt: '2026-11-20T02:06:22.123456Z', gcc: [], gco: [], pmej };
  return JSON.stringify(root, null, 2);
}

/** An establishment with every name that the mapping knows; overwrite what a test is about. */
export function establishment(names: Names = {}): Names {
  return {
    informationsGeneralesEGE: {
      egeId: '799',
      numFinessEge: '690000013',
      nomEgeCourt: 'CH LILAS',
      nomEgeLong: 'CENTRE HOSPITALIER DES LILAS',
      complementDenominationEg: 'SITE NORD',
      siret: '99000000100011',
      espic: ['1'],
      dateOuverture: '1956-11-16',
      datePremiereAutorisation: '1956-11-16',
      dateFermeture: '2030-01-01',
      numeroEducationNationale: '0690001A',
      numeroReferenceExterne: 'REF-1',
    },
    categorieentiteGeographiqueExercice: '355',
    modefixationtarifaire: '03',
    typeBudget: ['01'],
    adresse: [address('04', 'DES ANNEXES'), address('03', 'DES LILAS')],
    contact: contacts(),
    engagement: [{ engagementId: '1' }],
    evenement: [{ evenementId: '1' }],
    roleEge: [{ idEgePorteuse: '1', idEgeNonPorteuse: '2', roleRelationEge: '1' }],
    etatObjet: 'A',
    dateDerniereMaj: '2026-10-18 00:00:00',
    ...names,
  };
}

/** A legal entity with every name that the mapping knows. */
export function legalEntity(names: Names = {}): Names {
  return {
    informationsGeneralesPMEJ: {
      pmSmsseId: '2',
      numFinessPm: '690000021',
      denominationPm: 'GP LILAS',
      denominationLonguePmSmsse: 'GROUPE DES LILAS',
      complementAdressePmSmsse: 'DIRECTION',
      siren: '990000001',
      statutJuridique: '13',
      categorieentiteGeographiqueExercice: '355',
      fonctionPublique: '01',
      typeGroupeGco: '001',
      typePersonneMorale: '01',
      codeApe: '86.10Z',
      dateCreation: '2001-01-01',
      dateFermeture: '2030-01-01',
    },
    adresse: [address('01', 'DES ARCHIVES'), address('02', 'DU SIEGE')],
    contact: contacts(),
    engagement: [{ engagementId: '2' }],
    evenement: [{ evenementId: '2' }],
    ege: [establishment()],
    etatObjet: 'A',
    dateDerniereMaj: '2026-10-18 00:00:00',
    ...names,
  };
}

const contacts = (): Names[] => [
  {
    typeContact: { roleContact: '01' },
    telecom: { telephone: '0199000001', telecopie: '0199000003', courriel: 'accueil@lilas.example' },
  },
  { typeContact: { roleContact: '02' }, telecom: { telephone: '0199000002' } },
];

function address(usageAdresse: string, libelleVoie: string): Names {
  return {
    usageAdresse,
    numeroVoie: '12',
    complementVoie: 'BIS',
    typeVoie: 'AV',
    libelleVoie,
    complementPointGeographique: 'BATIMENT A',
    lieuDit: 'BP 7',
    cogCommune: '69383',
    codePostal: '69003',
    ligneAcheminement: 'LYON CEDEX 03',
    ligneUne: 'UNE',
    ligneDeux: 'DEUX',
    ligneTrois: 'TROIS',
    ligneQuatre: '12 BIS AVENUE',
    ligneCinq: 'CINQ',
    ligneSix: 'SIX',
    coordonneesGeographique: {
      coordonneeX: '843000.0',
      coordonneeY: '6520000.0',
      directionLatitude: '45.75',
      directionLongitude: '4.85',
      cleInInteropBAN: '69383_1_00012',
      scoreBAN: '0.9',
    },
  };
}
