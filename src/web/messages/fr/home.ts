// The French messages of the home page.

export const home = {
  title: 'Connexion et annuaire des professionnels de santé',
  introduction: (service: string) =>
    `${service} permet aux professionnels de santé d’ouvrir leurs applications avec un seul compte, et à ces applications de consulter l’annuaire.`,
  people: 'Vous exercez dans la santé\u00a0?',
  peopleAdvice: 'Pour accéder à vos outils, ouvrez votre application et connectez-vous.',
  account: 'Mon compte',
  accountAbout: 'Profil, sécurité, applications et sessions.',
  developers: 'Pour les intégrateurs',
  demo: 'Application de démonstration',
  demoAbout: 'Se connecter avec un compte fictif et chercher dans l’annuaire.',
  discovery: 'Découverte OpenID Connect',
  discoveryAbout: 'Adresses et fonctions du service de connexion.',
  tryIt: 'Essayer l’annuaire',
  tryItAbout: 'Une requête depuis le navigateur, et le code qui fait la même chose.',
  directory: 'Annuaire FHIR STU3',
  directoryAbout: 'Référence de l’API\u00a0: démarrer, critères de recherche, exemples.',
};
