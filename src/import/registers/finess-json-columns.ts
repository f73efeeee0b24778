// Names of the FINESS JSON flow `finess-structures-1` (schema v1.0.0, github.com/ansforge/finess): legal entities
// (`pmej`) with their establishments (`ege`) inside.

import type { Column } from '#import/collect/columns.ts';
import { FINESS_NUMBER, LETTERS } from './finess-text.ts';

/** A name within an object of the flow; its label is the path to it, `[]` behind what holds a list. */
export interface JsonColumn extends Column {
  /** What a structure is not usable without: a file in which hardly one has it has renamed or lost it. */
  readonly needed?: true;
  /** Read although nothing becomes of it: the state is checked by it. */
  readonly checked?: true;
  /** Its elements are structures with a table of their own. */
  readonly structures?: true;
}

/** Root of the file. */
export const FINESS_JSON_ROOT = [
  { key: 'schema', label: 'schemaVersion', omitted: 'says how the file is made, nothing about a structure' },
  { key: 'generated', label: 'generatedAt', omitted: 'is the date of the edition, shown by `directory status`' },
  { key: 'entities', label: 'pmej', to: 'Organization, one for each legal entity; its names stand below' },
  { key: 'alliances', label: 'gcc', omitted: 'agreements between structures: an Organization has one parent only' },
  { key: 'cooperations', label: 'gco', omitted: 'members of groups: an Organization has one parent only' },
] as const satisfies readonly JsonColumn[];

const INTERNAL = 'a technical number of the register; the FINESS number identifies the structure';
const NO_DATE = 'STU3 Organization has no element for it';
const NO_LOCATION = 'coordinates belong to Location, which this directory does not serve';
const NO_LABEL = 'no label comes with it, and the directory has no table of labels of its own';
const DERIVED = 'the same address again, laid out on postal lines';
const UPDATED = 'meta.lastUpdated says when the resource last changed here';
const ADMINISTRATIVE = 'the administrative history and agreements of a structure are not asked of a directory';
const ADDRESS = 'address.line';

/** Names of an address and a contact, the same for both. `[]`: of the chosen address, of all contacts. */
const ADDRESS_AND_CONTACT = [
  {
    key: 'use',
    label: 'adresse[].usageAdresse',
    to: 'chooses the address: the seat (02), the place of practice (03)',
    needed: true,
  },
  { key: 'number', label: 'adresse[].numeroVoie', to: ADDRESS },
  { key: 'streetMore', label: 'adresse[].complementVoie', to: ADDRESS },
  { key: 'streetType', label: 'adresse[].typeVoie', to: ADDRESS },
  { key: 'street', label: 'adresse[].libelleVoie', to: ADDRESS, shape: LETTERS, needed: true },
  { key: 'distribution', label: 'adresse[].complementPointGeographique', to: ADDRESS },
  { key: 'mention', label: 'adresse[].lieuDit', to: ADDRESS },
  {
    key: 'commune',
    label: 'adresse[].cogCommune',
    to: 'address.extension (INSEE code, TRE_R13)',
    shape: /^\d[\dAB]\d{3}$/,
    needed: true,
  },
  { key: 'routing', label: 'adresse[].ligneAcheminement', to: 'address.line, city', shape: LETTERS, needed: true },
  { key: 'postalCode', label: 'adresse[].codePostal', to: 'address.line, postalCode', shape: /^\d{5}$/, needed: true },
  { key: 'line1', label: 'adresse[].ligneUne', omitted: DERIVED },
  { key: 'line2', label: 'adresse[].ligneDeux', omitted: DERIVED },
  { key: 'line3', label: 'adresse[].ligneTrois', omitted: DERIVED },
  {
    key: 'line4',
    label: 'adresse[].ligneQuatre',
    to: 'address.line, where number, type and name of the street are empty',
  },
  { key: 'line5', label: 'adresse[].ligneCinq', omitted: DERIVED },
  { key: 'line6', label: 'adresse[].ligneSix', omitted: DERIVED },
  { key: 'x', label: 'adresse[].coordonneesGeographique.coordonneeX', omitted: NO_LOCATION },
  { key: 'y', label: 'adresse[].coordonneesGeographique.coordonneeY', omitted: NO_LOCATION },
  { key: 'latitude', label: 'adresse[].coordonneesGeographique.directionLatitude', omitted: NO_LOCATION },
  { key: 'longitude', label: 'adresse[].coordonneesGeographique.directionLongitude', omitted: NO_LOCATION },
  { key: 'addressKey', label: 'adresse[].coordonneesGeographique.cleInInteropBAN', omitted: NO_LOCATION },
  { key: 'addressScore', label: 'adresse[].coordonneesGeographique.scoreBAN', omitted: NO_LOCATION },
  { key: 'contactRole', label: 'contact[].typeContact.roleContact', omitted: NO_LABEL },
  { key: 'phone', label: 'contact[].telecom.telephone', to: 'Organization.telecom' },
  { key: 'fax', label: 'contact[].telecom.telecopie', to: 'Organization.telecom' },
  { key: 'mail', label: 'contact[].telecom.courriel', to: 'Organization.telecom' },
  { key: 'agreements', label: 'engagement', omitted: ADMINISTRATIVE },
  { key: 'events', label: 'evenement', omitted: ADMINISTRATIVE },
  {
    key: 'state',
    label: 'etatObjet',
    to: 'closed structures (I) are left out, as in the FINESS text files',
  },
  { key: 'updated', label: 'dateDerniereMaj', omitted: UPDATED },
] as const satisfies readonly JsonColumn[];

/** Of a `pmej`. */
export const JSON_LEGAL_ENTITY: readonly JsonColumn[] = [
  { key: 'internalId', label: 'informationsGeneralesPMEJ.pmSmsseId', omitted: INTERNAL },
  {
    key: 'finess',
    label: 'informationsGeneralesPMEJ.numFinessPm',
    to: 'Organization.id, Organization.identifier',
    shape: FINESS_NUMBER,
    needed: true,
  },
  {
    key: 'shortName',
    label: 'informationsGeneralesPMEJ.denominationPm',
    to: 'Organization.name or alias',
    shape: LETTERS,
    needed: true,
  },
  {
    key: 'name',
    label: 'informationsGeneralesPMEJ.denominationLonguePmSmsse',
    to: 'Organization.name',
    shape: LETTERS,
    needed: true,
  },
  { key: 'locality', label: 'informationsGeneralesPMEJ.complementAdressePmSmsse', to: ADDRESS },
  { key: 'siren', label: 'informationsGeneralesPMEJ.siren', to: 'Organization.identifier', shape: /^\d{9}$/ },
  {
    key: 'status',
    label: 'informationsGeneralesPMEJ.statutJuridique',
    to: 'Organization.type (TRE_R72)',
    needed: true,
  },
  {
    key: 'category',
    label: 'informationsGeneralesPMEJ.categorieentiteGeographiqueExercice',
    to: 'Organization.type (TRE_R66)',
  },
  { key: 'publicFunction', label: 'informationsGeneralesPMEJ.fonctionPublique', omitted: NO_LABEL },
  { key: 'groupType', label: 'informationsGeneralesPMEJ.typeGroupeGco', omitted: NO_LABEL },
  { key: 'personType', label: 'informationsGeneralesPMEJ.typePersonneMorale', omitted: NO_LABEL },
  {
    key: 'activity',
    label: 'informationsGeneralesPMEJ.codeApe',
    omitted: 'a statistical code of the trade register, without label',
  },
  { key: 'created', label: 'informationsGeneralesPMEJ.dateCreation', omitted: NO_DATE },
  { key: 'closed', label: 'informationsGeneralesPMEJ.dateFermeture', omitted: NO_DATE, checked: true },
  ...ADDRESS_AND_CONTACT,
  {
    key: 'establishments',
    label: 'ege',
    to: 'Organization, one for each establishment; its names stand below',
    needed: true,
    structures: true,
  },
] as const satisfies readonly JsonColumn[];

/** Of an `ege` within it. */
export const JSON_ESTABLISHMENT: readonly JsonColumn[] = [
  { key: 'internalId', label: 'informationsGeneralesEGE.egeId', omitted: INTERNAL },
  {
    key: 'finess',
    label: 'informationsGeneralesEGE.numFinessEge',
    to: 'Organization.id, Organization.identifier',
    shape: FINESS_NUMBER,
    needed: true,
  },
  {
    key: 'shortName',
    label: 'informationsGeneralesEGE.nomEgeCourt',
    to: 'Organization.name or alias',
    shape: LETTERS,
    needed: true,
  },
  { key: 'name', label: 'informationsGeneralesEGE.nomEgeLong', to: 'Organization.name', shape: LETTERS, needed: true },
  { key: 'locality', label: 'informationsGeneralesEGE.complementDenominationEg', to: ADDRESS },
  { key: 'siret', label: 'informationsGeneralesEGE.siret', to: 'Organization.identifier', shape: /^\d{14}$/ },
  { key: 'publicService', label: 'informationsGeneralesEGE.espic[]', to: 'Organization.type (TRE_R73)' },
  {
    key: 'school',
    label: 'informationsGeneralesEGE.numeroEducationNationale',
    omitted: 'identifies the school inside an establishment, not the establishment',
  },
  {
    key: 'external',
    label: 'informationsGeneralesEGE.numeroReferenceExterne',
    omitted: 'the register does not say whose number it is',
  },
  { key: 'opened', label: 'informationsGeneralesEGE.dateOuverture', omitted: NO_DATE },
  { key: 'authorised', label: 'informationsGeneralesEGE.datePremiereAutorisation', omitted: NO_DATE },
  { key: 'closed', label: 'informationsGeneralesEGE.dateFermeture', omitted: NO_DATE, checked: true },
  { key: 'category', label: 'categorieentiteGeographiqueExercice', to: 'Organization.type (TRE_R66)', needed: true },
  {
    key: 'tariff',
    label: 'modefixationtarifaire',
    omitted: 'who sets the prices of an establishment: not asked of a directory',
  },
  { key: 'budget', label: 'typeBudget', omitted: 'how an establishment is paid: not asked of a directory' },
  { key: 'roles', label: 'roleEge', omitted: 'ties between establishments: an Organization has one parent only' },
  ...ADDRESS_AND_CONTACT,
] as const satisfies readonly JsonColumn[];
