// Columns of the two registers of qualifications: PS_LibreAcces_Dipl_AutExerc (DI), diplomas and authorisations, and
// PS_LibreAcces_SavoirFaire (SF), skills.

import { indexOfColumns } from './bind-header.ts';

const CODE = /^[0-9A-Z][0-9A-Z._/-]{0,14}$/;
const NATIONAL_ID = /^\d[0-9A-Za-z/.-]{3,}$/;
/** Without the digit of its type, which the national one begins with. */
const SHORT_ID = /^[0-9A-Za-z/.-]{4,11}$/;
const IN_ACTIVITIES = 'taken from the register of activities';

export const DIPLOMA_COLUMNS = [
  { key: 'idType', label: "Type d'identifiant PP", omitted: IN_ACTIVITIES },
  { key: 'id', label: 'Identifiant PP', omitted: IN_ACTIVITIES, shape: SHORT_ID },
  { key: 'nationalId', label: 'Identification nationale PP', to: 'finds the Practitioner', shape: NATIONAL_ID },
  { key: 'family', label: "Nom d'exercice", omitted: IN_ACTIVITIES },
  { key: 'given', label: "Prénom d'exercice", omitted: IN_ACTIVITIES },
  { key: 'diplomaType', label: 'Code type diplôme obtenu', to: 'Practitioner.qualification (TRE_R14)', shape: CODE },
  { key: 'diplomaTypeLabel', label: 'Libellé type diplôme obtenu', to: 'Practitioner.qualification' },
  { key: 'diploma', label: 'Code diplôme obtenu', to: 'Practitioner.qualification', shape: CODE },
  { key: 'diplomaLabel', label: 'Libellé diplôme obtenu', to: 'Practitioner.qualification' },
  { key: 'permitType', label: 'Code type autorisation', to: 'Practitioner.qualification (TRE_R17)', shape: CODE },
  { key: 'permitTypeLabel', label: 'Libellé type autorisation', to: 'Practitioner.qualification' },
  { key: 'field', label: 'Code discipline autorisation', to: 'Practitioner.qualification (TRE_R18)', shape: CODE },
  { key: 'fieldLabel', label: 'Libellé discipline autorisation', to: 'Practitioner.qualification' },
] as const;

export const SKILL_COLUMNS = [
  { key: 'idType', label: "Type d'identifiant PP", omitted: IN_ACTIVITIES },
  { key: 'id', label: 'Identifiant PP', omitted: IN_ACTIVITIES, shape: SHORT_ID },
  { key: 'nationalId', label: 'Identification nationale PP', to: 'finds the Practitioner', shape: NATIONAL_ID },
  { key: 'family', label: "Nom d'exercice", omitted: IN_ACTIVITIES },
  { key: 'given', label: "Prénom d'exercice", omitted: IN_ACTIVITIES },
  { key: 'profession', label: 'Code profession', omitted: IN_ACTIVITIES },
  { key: 'professionLabel', label: 'Libellé profession', omitted: IN_ACTIVITIES },
  { key: 'category', label: 'Code catégorie professionnelle', omitted: IN_ACTIVITIES },
  { key: 'categoryLabel', label: 'Libellé catégorie professionnelle', omitted: IN_ACTIVITIES },
  { key: 'skillType', label: 'Code type savoir-faire', to: 'system of the skill; TRE_R04', shape: /^[A-Z]{1,5}$/ },
  { key: 'skillTypeLabel', label: 'Libellé type savoir-faire', to: 'Practitioner.qualification' },
  { key: 'skill', label: 'Code savoir-faire', to: 'Practitioner.qualification', shape: /\d/ },
  { key: 'skillLabel', label: 'Libellé savoir-faire', to: 'Practitioner.qualification' },
] as const;

/** Place of each column, by key. */
export const D = indexOfColumns(DIPLOMA_COLUMNS);
export const S = indexOfColumns(SKILL_COLUMNS);
