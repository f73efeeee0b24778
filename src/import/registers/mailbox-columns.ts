// Columns of the register of secure mail addresses, Extraction_Correspondance_MSSante (MSS).

import { indexOfColumns } from './bind-header.ts';

const IN_ACTIVITIES = 'taken from the register of activities';
const ONLY_UNKNOWN = 'Organization, when no other file knows the structure';

export const MAILBOX_COLUMNS = [
  {
    key: 'type',
    label: 'Type de BAL',
    to: 'PER: Practitioner.telecom, others: Organization.telecom',
    shape: /^[A-Z]{2,4}$/,
  },
  { key: 'address', label: 'Adresse BAL', to: 'telecom.value', shape: /@/ },
  { key: 'idType', label: 'Type Identifiant PP', omitted: IN_ACTIVITIES },
  { key: 'id', label: 'Identifiant PP', omitted: IN_ACTIVITIES, shape: /^[0-9A-Za-z/.-]{4,11}$/ },
  {
    key: 'nationalId',
    label: 'Identification nationale PP',
    to: 'finds the Practitioner',
    shape: /^\d[0-9A-Za-z/.-]{3,}$/,
  },
  {
    key: 'structureIdType',
    label: 'Type identifiant structure',
    to: 'finds the Organization',
    shape: /^[A-Z][A-Z_ ]+$/,
  },
  { key: 'structureId', label: 'Identification Structure', to: 'finds the Organization', shape: /\d/ },
  { key: 'service', label: 'Service de rattachement', to: 'telecom.extension (service)' },
  { key: 'title', label: "Civilité d'exercice", omitted: IN_ACTIVITIES },
  { key: 'family', label: "Nom d'exercice", omitted: IN_ACTIVITIES },
  { key: 'given', label: "Prénom d'exercice", omitted: IN_ACTIVITIES },
  { key: 'category', label: 'Catégorie profession', omitted: IN_ACTIVITIES },
  { key: 'categoryLabel', label: 'Libellé de catégorie profession', omitted: IN_ACTIVITIES },
  { key: 'profession', label: 'Code Profession', omitted: IN_ACTIVITIES },
  { key: 'professionLabel', label: 'Libellé Profession', omitted: IN_ACTIVITIES },
  { key: 'skill', label: 'Code savoir-faire', omitted: IN_ACTIVITIES },
  { key: 'skillLabel', label: 'Libellé savoir-faire', omitted: IN_ACTIVITIES },
  { key: 'paperless', label: 'Dématérialisation', to: 'telecom.extension (digitization)', shape: /^[ON]$/i },
  { key: 'name', label: 'Raison Sociale structure BAL', to: ONLY_UNKNOWN },
  { key: 'tradeName', label: 'Enseigne commerciale structure BAL', to: ONLY_UNKNOWN },
  { key: 'locality', label: 'L2COMPLEMENTLOCALISATION structure BAL', to: ONLY_UNKNOWN },
  { key: 'distribution', label: 'L3COMPLEMENTDISTRIBUTION structure BAL', to: ONLY_UNKNOWN },
  { key: 'number', label: 'L4NUMEROVOIE structure BAL', to: ONLY_UNKNOWN },
  { key: 'numberIndex', label: 'L4COMPLEMENTNUMEROVOIE structure BAL', to: ONLY_UNKNOWN },
  { key: 'streetType', label: 'NL4TYPEVOIE structure BAL', to: ONLY_UNKNOWN },
  { key: 'street', label: 'L4LIBELLEVOIE structure BAL', to: ONLY_UNKNOWN },
  { key: 'mention', label: 'L5LIEUDITMENTION structure BAL', to: ONLY_UNKNOWN },
  { key: 'routing', label: 'L6LIGNEACHEMINEMENT structure BAL', to: ONLY_UNKNOWN },
  { key: 'postalCode', label: 'Code postal structure BAL', to: ONLY_UNKNOWN },
  {
    key: 'department',
    label: 'Département structure BAL',
    omitted: 'a number without its label; the postal code begins with it',
  },
  { key: 'country', label: 'Pays structure BAL', to: ONLY_UNKNOWN },
] as const;

/** Place of each column, by key. */
export const M = indexOfColumns(MAILBOX_COLUMNS);
