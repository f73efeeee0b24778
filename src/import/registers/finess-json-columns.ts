// The names of the members in the FINESS JSON feed `finess-structures-1` (schema v1.0.0, github.com/ansforge/finess). The feed lists legal
// entities (`pmej`), each with its establishments (`ege`) inside.

import { type Column, FINESS_NUMBER, LETTERS, maps, omits } from '#import/collect/columns.ts';
import { GEOLOCATION } from './finess-row.ts';

/**
 * The name of a member of the JSON objects in the feed. It is treated like a column. Its `label` is the path of the member within its
 * object (the file itself, a legal entity or an establishment). The path has `[]` after the name of a list.
 */
export interface JsonColumn extends Column {
  /**
   * Set if a structure cannot be used without this name. If hardly any structure of a file has the name, it was renamed or lost, and a
   * guard refuses the edition.
   */
  readonly needed?: true;
  /** Set if the value becomes no element of a resource, but is read to check the state of the structure. */
  readonly checked?: true;
  /** Set for a list if its elements are structures with a table of their own. */
  readonly structures?: true;
}

function needs(...column: Parameters<typeof maps<string>>): JsonColumn {
  return { ...maps(...column), needed: true };
}

/** Names at the root of the file. */
export const FINESS_JSON_ROOT: readonly JsonColumn[] = [
  omits('schema', 'schemaVersion', 'says how the file is made, nothing about a structure'),
  omits('generated', 'generatedAt', 'is the date of the edition, shown by `directory status`'),
  maps('entities', 'pmej', 'Organization, one for each legal entity; its names stand below'),
  omits('alliances', 'gcc', 'agreements between structures: an Organization has one parent only'),
  omits('cooperations', 'gco', 'members of groups: an Organization has one parent only'),
];

const INTERNAL = 'a technical number of the register; the FINESS number identifies the structure';
const NO_DATE = 'STU3 Organization has no element for it';
const NO_GEOCODING = 'says how the coordinates were found: not asked of a directory';
const NO_LABEL = 'no label comes with it, and the directory has no table of labels of its own';
const DERIVED = 'the same address again, laid out on postal lines';
const UPDATED = 'meta.lastUpdated says when the resource last changed here';
const ADMINISTRATIVE = 'the administrative history and agreements of a structure are not asked of a directory';
const ADDRESS = 'address.line';

/**
 * JSON members for the address and the contacts of a structure. They are the same for legal entities and for establishments. In a path,
 * `adresse[]` stands for the one address that is chosen. `[]` after any other name stands for all elements of the list.
 */
const ADDRESS_AND_CONTACT: readonly JsonColumn[] = [
  needs('use', 'adresse[].usageAdresse', 'chooses the address: the seat (02), the place of practice (03)'),
  maps('number', 'adresse[].numeroVoie', ADDRESS),
  maps('streetMore', 'adresse[].complementVoie', ADDRESS),
  maps('streetType', 'adresse[].typeVoie', ADDRESS),
  needs('street', 'adresse[].libelleVoie', ADDRESS, LETTERS),
  maps('distribution', 'adresse[].complementPointGeographique', ADDRESS),
  maps('mention', 'adresse[].lieuDit', ADDRESS),
  needs('commune', 'adresse[].cogCommune', 'address.extension (INSEE code, TRE_R13)', /^\d[\dAB]\d{3}$/),
  needs('routing', 'adresse[].ligneAcheminement', 'address.line, city', LETTERS),
  needs('postalCode', 'adresse[].codePostal', 'address.line, postalCode', /^\d{5}$/),
  omits('line1', 'adresse[].ligneUne', DERIVED),
  omits('line2', 'adresse[].ligneDeux', DERIVED),
  omits('line3', 'adresse[].ligneTrois', DERIVED),
  maps('line4', 'adresse[].ligneQuatre', 'address.line, where number, type and name of the street are empty'),
  omits('line5', 'adresse[].ligneCinq', DERIVED),
  omits('line6', 'adresse[].ligneSix', DERIVED),
  maps('x', 'adresse[].coordonneesGeographique.coordonneeX', GEOLOCATION),
  maps('y', 'adresse[].coordonneesGeographique.coordonneeY', GEOLOCATION),
  maps('latitude', 'adresse[].coordonneesGeographique.directionLatitude', GEOLOCATION),
  maps('longitude', 'adresse[].coordonneesGeographique.directionLongitude', GEOLOCATION),
  omits('addressKey', 'adresse[].coordonneesGeographique.cleInInteropBAN', NO_GEOCODING),
  omits('addressScore', 'adresse[].coordonneesGeographique.scoreBAN', NO_GEOCODING),
  omits('contactRole', 'contact[].typeContact.roleContact', NO_LABEL),
  maps('phone', 'contact[].telecom.telephone', 'Organization.telecom'),
  maps('fax', 'contact[].telecom.telecopie', 'Organization.telecom'),
  maps('mail', 'contact[].telecom.courriel', 'Organization.telecom'),
  omits('agreements', 'engagement', ADMINISTRATIVE),
  omits('events', 'evenement', ADMINISTRATIVE),
  maps('state', 'etatObjet', 'closed structures (I) are left out, as in the FINESS text files'),
  omits('updated', 'dateDerniereMaj', UPDATED),
];

/** JSON members of a legal entity. The legal entities are the elements of the list `pmej`. */
export const JSON_LEGAL_ENTITY: readonly JsonColumn[] = [
  omits('internalId', 'informationsGeneralesPMEJ.pmSmsseId', INTERNAL),
  needs('finess', 'informationsGeneralesPMEJ.numFinessPm', 'Organization.id, Organization.identifier', FINESS_NUMBER),
  needs('shortName', 'informationsGeneralesPMEJ.denominationPm', 'Organization.name or alias', LETTERS),
  needs('name', 'informationsGeneralesPMEJ.denominationLonguePmSmsse', 'Organization.name', LETTERS),
  maps('locality', 'informationsGeneralesPMEJ.complementAdressePmSmsse', ADDRESS),
  maps('siren', 'informationsGeneralesPMEJ.siren', 'Organization.identifier', /^\d{9}$/),
  needs('status', 'informationsGeneralesPMEJ.statutJuridique', 'Organization.type (TRE_R72)'),
  maps('category', 'informationsGeneralesPMEJ.categorieentiteGeographiqueExercice', 'Organization.type (TRE_R66)'),
  omits('publicFunction', 'informationsGeneralesPMEJ.fonctionPublique', NO_LABEL),
  omits('groupType', 'informationsGeneralesPMEJ.typeGroupeGco', NO_LABEL),
  omits('personType', 'informationsGeneralesPMEJ.typePersonneMorale', NO_LABEL),
  omits('activity', 'informationsGeneralesPMEJ.codeApe', 'a statistical code of the trade register, without label'),
  omits('created', 'informationsGeneralesPMEJ.dateCreation', NO_DATE),
  { ...omits('closed', 'informationsGeneralesPMEJ.dateFermeture', NO_DATE), checked: true },
  ...ADDRESS_AND_CONTACT,
  {
    ...needs('establishments', 'ege', 'Organization, one for each establishment; its names stand below'),
    structures: true,
  },
];

/**
 * JSON members of an establishment. The establishments of a legal entity are the elements of its list `ege`. The paths begin at the
 * establishment.
 */
export const JSON_ESTABLISHMENT: readonly JsonColumn[] = [
  omits('internalId', 'informationsGeneralesEGE.egeId', INTERNAL),
  needs('finess', 'informationsGeneralesEGE.numFinessEge', 'Organization.id, Organization.identifier', FINESS_NUMBER),
  needs('shortName', 'informationsGeneralesEGE.nomEgeCourt', 'Organization.name or alias', LETTERS),
  needs('name', 'informationsGeneralesEGE.nomEgeLong', 'Organization.name', LETTERS),
  maps('locality', 'informationsGeneralesEGE.complementDenominationEg', ADDRESS),
  maps('siret', 'informationsGeneralesEGE.siret', 'Organization.identifier', /^\d{14}$/),
  maps('publicService', 'informationsGeneralesEGE.espic[]', 'Organization.type (TRE_R73)'),
  omits(
    'school',
    'informationsGeneralesEGE.numeroEducationNationale',
    'identifies the school inside an establishment, not the establishment',
  ),
  omits('external', 'informationsGeneralesEGE.numeroReferenceExterne', 'the register does not say whose number it is'),
  omits('opened', 'informationsGeneralesEGE.dateOuverture', NO_DATE),
  omits('authorised', 'informationsGeneralesEGE.datePremiereAutorisation', NO_DATE),
  { ...omits('closed', 'informationsGeneralesEGE.dateFermeture', NO_DATE), checked: true },
  needs('category', 'categorieentiteGeographiqueExercice', 'Organization.type (TRE_R66)'),
  omits('tariff', 'modefixationtarifaire', 'who sets the prices of an establishment: not asked of a directory'),
  omits('budget', 'typeBudget', 'how an establishment is paid: not asked of a directory'),
  omits('roles', 'roleEge', 'ties between establishments: an Organization has one parent only'),
  ...ADDRESS_AND_CONTACT,
];
