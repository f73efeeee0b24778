// Labels of the health ministry's tables that are in force (MOS and NOS, https://smt.esante.gouv.fr, Licence Ouverte 2.0), as of July 2026.

/** Professions: TRE_G15-ProfessionSante. */
export const PROFESSIONS = `
Médecin|Pharmacien|Audioprothésiste|Opticien-Lunetier|Assistant dentaire|Physicien médical|Chirurgien-Dentiste|Sage-Femme|Infirmier
Infirmier psychiatrique|Masseur-Kinésithérapeute|Pédicure-Podologue|Orthoprothésiste|Podo-Orthésiste|Orthopédiste-Orthésiste|Oculariste
Epithésiste|Technicien de laboratoire médical|Orthophoniste|Orthoptiste|Ergothérapeute|Diététicien|Psychomotricien|Manipulateur ERM`
  .trim()
  .split(/[|\n]/);

/** Specialities of physicians, dentists and nurses: TRE_R38-SpecialiteOrdinale. */
export const SPECIALITIES = `
Orthopédie dento-faciale (SCD)|Chirurgie orale (SCD)|Médecine bucco-dentaire (SCD)|Anatomie et Cytologie pathologiques (SM)
Anesthésie-réanimation (SM)|Biologie médicale (SM)|Cardiologie et Maladies vasculaires (SM)|Chirurgie générale (SM)|Chirurgie maxillo-faciale (SM)
Chirurgie maxillo-faciale et Stomatologie (SM)|Chirurgie orthopédique et Traumatologie (SM)|Chirurgie infantile (SM)
Chirurgie plastique reconstructrice et esthétique (SM)|Chirurgie thoracique et cardio-vasculaire (SM)|Chirurgie urologique (SM)
Chirurgie vasculaire (SM)|Chirurgie viscérale et digestive (SM)|Dermatologie et vénéréologie (SM)|Endocrinologie et métabolisme (SM)
Génétique médicale (SM)|Gériatrie (SM)|Gynécologie médicale (SM)|Gynécologie-obstétrique (SM)|Hématologie (SM)|Hématologie, option Maladie du sang (SM)
Hématologie, option Onco-hématologie (SM)|Gastro-entérologie et Hépatologie (SM)|Médecine du travail (SM)|Qualifié en Médecine générale (SM)
Médecine interne (SM)|Médecine nucléaire (SM)|Médecine physique et réadaptation (SM)|Néphrologie (SM)|Neuro-chirurgie (SM)|Neurologie (SM)
Neuro-psychiatrie (SM)|ORL et Chirurgie cervico-faciale (SM)|Oncologie, option Onco-hématologie (SM)|Oncologie, option médicale (SM)
Oncologie, option radiothérapie (SM)|Ophtalmologie (SM)|Oto-rhino-laryngologie (SM)|Pédiatrie (SM)|Pneumologie (SM)|Psychiatrie (SM)
Psychiatrie, option enfant et adolescent (SM)|Radio-diagnostic (SM)|Radio-thérapie (SM)|Médecine intensive-réanimation (SM)|Recherche médicale (SM)
Rhumatologie (SM)|Santé publique et Médecine sociale (SM)|Stomatologie (SM)|Gynéco-obstétrique et Gynéco-médicale, option Gynéco-obstétrique (SM)
Gynéco-obstétrique et Gynéco-médicale, option Gynéco-médicale (SM)|Spécialiste en Médecine générale (SM)|Médecine générale (SM)
Radio-diagnostic et Radio-thérapie (SM)|Chirurgie orale (SM)|Allergologie (SM)|Maladies infectieuses et tropicales (SM)|Médecine d'urgence (SM)
Médecine légale et expertises médicales (SM)|Médecine vasculaire (SM)|Endocrinologie, diabétologie, nutrition (SM)
Biologie médicale option biologie générale (SM)|Biologie médicale option médecine moléculaire, génétique et pharmacologie (SM)
Biologie médicale option hématologie et immunologie (SM)|Biologie médicale option agents infectieux (SM)
Biologie médicale option biologie de la reproduction (SM)|Chirurgie maxillo-faciale (réforme 2017) (SM)
Chirurgie pédiatrique option chirurgie viscérale pédiatrique (SM)|Chirurgie pédiatrique option orthopédie pédiatrique (SM)
Hématologie (réforme 2017) (SM)|Médecine interne et immunologie clinique (SM)|Médecine cardiovasculaire (SM)|Radiologie et imagerie médicale (SM)
Santé publique (SM)|Anesthésie-réanimation option anesthésie-pédiatrique (SM)
Chirurgie maxillo-faciale option orthodontie des dysmorphies maxillo-faciales (SM)|Chirurgie viscérale et digestive option endoscopie chirurgicale (SM)
Médecine cardiovasculaire option cardiologie interventionnelle (SM)|Médecine cardiovasculaire option imagerie cardio d'expert (SM)
Médecine cardiovasculaire option rythmologie interventionnelle et stimulation cardiaque (SM)
Médecine intensive-réanimation option réanimation pédiatrique (SM)|Néphrologie option soins intensifs néphrologiques (SM)
Neurologie option traitement interventionnel de l'ischémie cérébrale aigüe (SM)|Ophtalmo option chirurgie ophtalmopédiatrique et strabologique (SM)
ORL et chirurgie cervico-faciale option audiophonologie (SM)|Pédiatrie option néonatologie (SM)|Pédiatrie option neuropédiatrie (SM)
Pédiatrie option pneumopédiatrie (SM)|Pédiatrie option réanimation pédiatrique (SM)|Pneumologie option soins intensifs respiratoires (SM)
Psychiatrie option enfant et adolescent (SM)|Psychiatrie option psychiatrie personne âgée (SM)
Radiologie imagerie médicale option radiologie interventionnelle avancée (SM)|Santé publique option administration de la santé (SM)
Gynécologie médicale et obstétrique (CEX)|Gynécologie médicale (CEX)|Obstétrique (CEX)|Urologie (CEX)
Exercice infirmier en pratique avancée pathologies chroniques stabilisées (SI)
Exercice infirmier en pratique avancée oncologie et hémato-oncologie (SI)
Exercice infirmier en pratique avancée maladie rénale chronique, dialyse et transplantation rénale (SI)
Exercice infirmier en pratique avancée santé mentale (SI)|Exercice infirmier en pratique avancée urgences (SI)
Infirmier(ère) de bloc opératoire (SI)|Infirmier(ère) anesthésiste (SI)|Infirmier(ère) puériculteur(trice)`
  .trim()
  .split(/[|\n]/);
