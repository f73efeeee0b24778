// Columns of the four registers of persons: activities (PA), diplomas and authorisations (DI), skills (SF) and secure mail
// addresses (MSS).

import { indexOfColumns } from '#import/collect/columns.ts';

const NATIONAL_ID = /^\d[0-9A-Za-z/.-]{3,}$/;
/** A national identifier without the digit of its type at the beginning. */
const SHORT_ID = /^[0-9A-Za-z/.-]{4,11}$/;
const CODE = /^[0-9A-Z][0-9A-Z._/-]{0,14}$/;
/** Codes of nomenclatures that have no figures, and of those that have some. */
const LETTER_CODE = /^[A-Z]{1,5}$/;
const NUMBERED_CODE = /^[A-Z._/-]*\d[0-9A-Z._/-]*$/;
const COMMUNE = /^\d[\dAB]\d{3}$/;
const FINESS = /^\d[0-9AB]\d{7}$/;
/** Words, and not a code in figures. */
const LETTERS = /\p{L}.*\p{L}/u;
const PHONE = /^[+\d][\d .()/-]+$/;

const IN_ACTIVITIES = 'taken from the register of activities';
const ONLY_UNKNOWN = 'Organization, when no other file knows the structure';

/** PS_LibreAcces_Personne_activite: one line per activity and skill. */
export const ACTIVITY_COLUMNS = [
  { key: 'idType', label: "Type d'identifiant PP", to: 'tells an RPPS number (8) from others', shape: /^\d$/ },
  {
    key: 'id',
    label: 'Identifiant PP',
    to: 'Practitioner.identifier (RPPS, where the type is 8)',
    shape: SHORT_ID,
  },
  {
    key: 'nationalId',
    label: 'Identification nationale PP',
    aliases: ['Identification nationale personne physique'],
    to: 'Practitioner.id, Practitioner.identifier',
    shape: NATIONAL_ID,
  },
  { key: 'title', label: "Code civilité d'exercice", to: 'Practitioner.name.prefix', shape: /^[A-Z]{1,4}$/ },
  { key: 'titleLabel', label: "Libellé civilité d'exercice", omitted: 'the words of the code before it' },
  { key: 'civility', label: 'Code civilité', to: 'Practitioner.name.prefix, without a title', shape: /^[A-Z]{1,4}$/ },
  { key: 'civilityLabel', label: 'Libellé civilité', omitted: 'the words of the code before it' },
  { key: 'family', label: "Nom d'exercice", to: 'Practitioner.name.family', shape: LETTERS },
  { key: 'given', label: "Prénom d'exercice", to: 'Practitioner.name.given', shape: LETTERS },
  { key: 'profession', label: 'Code profession', to: 'Practitioner.qualification (TRE_G15)', shape: NUMBERED_CODE },
  { key: 'professionLabel', label: 'Libellé profession', to: 'Practitioner.qualification', shape: LETTERS },
  {
    key: 'category',
    label: 'Code catégorie professionnelle',
    to: 'Practitioner.qualification (TRE_R09)',
    shape: LETTER_CODE,
  },
  {
    key: 'categoryLabel',
    label: 'Libellé catégorie professionnelle',
    to: 'Practitioner.qualification',
    shape: LETTERS,
  },
  { key: 'skillType', label: 'Code type savoir-faire', to: 'system of the skill; TRE_R04', shape: LETTER_CODE },
  { key: 'skillTypeLabel', label: 'Libellé type savoir-faire', to: 'Practitioner.qualification' },
  {
    key: 'skill',
    label: 'Code savoir-faire',
    to: 'Practitioner.qualification, PractitionerRole.specialty',
    shape: NUMBERED_CODE,
  },
  { key: 'skillLabel', label: 'Libellé savoir-faire', to: 'Practitioner.qualification, PractitionerRole.specialty' },
  { key: 'mode', label: 'Code mode exercice', to: 'PractitionerRole.code (TRE_R23)', shape: LETTER_CODE },
  { key: 'modeLabel', label: 'Libellé mode exercice', to: 'PractitionerRole.code' },
  { key: 'siret', label: 'Numéro SIRET site', to: 'Organization.identifier', shape: /^\d{14}$/ },
  { key: 'siren', label: 'Numéro SIREN site', to: 'Organization.identifier', shape: /^\d{9}$/ },
  { key: 'finess', label: 'Numéro FINESS site', to: 'Organization.identifier', shape: FINESS },
  {
    key: 'legalFiness',
    label: 'Numéro FINESS établissement juridique',
    to: 'Organization.partOf',
    shape: FINESS,
  },
  {
    key: 'technicalId',
    label: 'Identifiant technique de la structure',
    to: 'Organization.id, Organization.identifier',
    shape: /^[A-Z]?[0-9AB-]{4,}$/,
  },
  { key: 'name', label: 'Raison sociale site', to: 'Organization.name', shape: LETTERS },
  { key: 'tradeName', label: 'Enseigne commerciale site', to: 'Organization.alias' },
  { key: 'addressee', label: 'Complément destinataire (coord. structure)', to: 'address.line' },
  { key: 'locality', label: 'Complément point géographique (coord. structure)', to: 'address.line' },
  { key: 'number', label: 'Numéro Voie (coord. structure)', to: 'address.line', shape: /\d/ },
  { key: 'numberIndex', label: 'Indice répétition voie (coord. structure)', to: 'address.line', shape: /^\p{L}+$/u },
  { key: 'streetType', label: 'Code type de voie (coord. structure)', omitted: 'its label, the next column, is used' },
  { key: 'streetTypeLabel', label: 'Libellé type de voie (coord. structure)', to: 'address.line', shape: LETTERS },
  { key: 'street', label: 'Libellé Voie (coord. structure)', to: 'address.line', shape: LETTERS },
  { key: 'mention', label: 'Mention distribution (coord. structure)', to: 'address.line' },
  { key: 'cedex', label: 'Bureau cedex (coord. structure)', to: 'address.line', shape: LETTERS },
  { key: 'postalCode', label: 'Code postal (coord. structure)', to: 'address.postalCode', shape: /^\d[\dA-B]\d{3}$/ },
  {
    key: 'commune',
    label: 'Code commune (coord. structure)',
    to: 'address.extension (INSEE code, TRE_R13)',
    shape: COMMUNE,
  },
  { key: 'city', label: 'Libellé commune (coord. structure)', to: 'address.city', shape: LETTERS },
  { key: 'countryCode', label: 'Code pays (coord. structure)', omitted: 'its label, the next column, is used' },
  { key: 'country', label: 'Libellé pays (coord. structure)', to: 'address.country', shape: LETTERS },
  { key: 'phone', label: 'Téléphone (coord. structure)', to: 'Organization.telecom', shape: PHONE },
  { key: 'phone2', label: 'Téléphone 2 (coord. structure)', to: 'Organization.telecom', shape: PHONE },
  { key: 'fax', label: 'Télécopie (coord. structure)', to: 'Organization.telecom', shape: PHONE },
  { key: 'mail', label: 'Adresse e-mail (coord. structure)', to: 'Organization.telecom', shape: /@/ },
  { key: 'departmentCode', label: 'Code Département (structure)', omitted: 'its label, the next column, is used' },
  { key: 'department', label: 'Libellé Département (structure)', to: 'address.district', shape: LETTERS },
  {
    key: 'formerId',
    label: 'Ancien identifiant de la structure',
    to: 'Organization.identifier (national identifier of structures)',
    shape: /^\d[0-9A-Z]+$/,
  },
  {
    key: 'authority',
    label: "Autorité d'enregistrement",
    omitted: 'names the bodies that keep the line (person, profession, activity), nothing about the professional',
  },
  { key: 'sector', label: "Code secteur d'activité", to: 'Organization.type (TRE_R02)', shape: NUMBERED_CODE },
  { key: 'sectorLabel', label: "Libellé secteur d'activité", to: 'Organization.type', shape: LETTERS },
  { key: 'section', label: 'Code section tableau pharmaciens', to: 'PractitionerRole.code (TRE_G05)', shape: CODE },
  { key: 'sectionLabel', label: 'Libellé section tableau pharmaciens', to: 'PractitionerRole.code' },
  { key: 'role', label: 'Code rôle', to: 'PractitionerRole.code (TRE_R21)', shape: CODE },
  { key: 'roleLabel', label: 'Libellé rôle', to: 'PractitionerRole.code' },
  { key: 'genre', label: 'Code genre activité', to: 'PractitionerRole.code (TRE_R22)', shape: CODE },
  { key: 'genreLabel', label: 'Libellé genre activité', to: 'PractitionerRole.code' },
] as const;

/** PS_LibreAcces_Dipl_AutExerc. */
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

/** PS_LibreAcces_SavoirFaire. */
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

/** Extraction_Correspondance_MSSante. */
export const MAILBOX_COLUMNS = [
  {
    key: 'type',
    label: 'Type de BAL',
    to: 'PER: Practitioner.telecom, others: Organization.telecom',
    shape: /^[A-Z]{2,4}$/,
  },
  { key: 'address', label: 'Adresse BAL', to: 'telecom.value', shape: /@/ },
  { key: 'idType', label: 'Type Identifiant PP', omitted: IN_ACTIVITIES },
  { key: 'id', label: 'Identifiant PP', omitted: IN_ACTIVITIES, shape: SHORT_ID },
  {
    key: 'nationalId',
    label: 'Identification nationale PP',
    to: 'finds the Practitioner',
    shape: NATIONAL_ID,
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

// Index of each column, by key, for rows of the four registers.
export const A = indexOfColumns(ACTIVITY_COLUMNS);
export const D = indexOfColumns(DIPLOMA_COLUMNS);
export const S = indexOfColumns(SKILL_COLUMNS);
export const M = indexOfColumns(MAILBOX_COLUMNS);
