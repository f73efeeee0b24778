// Columns of the register of activities, PS_LibreAcces_Personne_activite (PA): one line per activity and skill.

import { indexOfColumns } from './bind-header.ts';

const CODE = /^[0-9A-Z][0-9A-Z._/-]{0,14}$/;
/** Codes of nomenclatures that have no figures, and of those that have some. */
const LETTER_CODE = /^[A-Z]{1,5}$/;
const NUMBERED_CODE = /^[A-Z._/-]*\d[0-9A-Z._/-]*$/;
const COMMUNE = /^\d[\dAB]\d{3}$/;
const FINESS = /^\d[0-9AB]\d{7}$/;
/** Words, and not a code in figures. */
const LETTERS = /\p{L}.*\p{L}/u;
const PHONE = /^[+\d][\d .()/-]+$/;

export const ACTIVITY_COLUMNS = [
  { key: 'idType', label: "Type d'identifiant PP", to: 'tells an RPPS number (8) from others', shape: /^\d$/ },
  {
    key: 'id',
    label: 'Identifiant PP',
    to: 'Practitioner.identifier (RPPS, where the type is 8)',
    shape: /^[0-9A-Za-z/.-]{4,11}$/,
  },
  {
    key: 'nationalId',
    label: 'Identification nationale PP',
    aliases: ['Identification nationale personne physique'],
    to: 'Practitioner.id, Practitioner.identifier',
    shape: /^\d[0-9A-Za-z/.-]{3,}$/,
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

/** Place of each column, by key. */
export const A = indexOfColumns(ACTIVITY_COLUMNS);
