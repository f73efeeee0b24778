// The French messages of a sandbox: the notice on every page, and the page behind it. Typography as in `fr.ts`.

export const sandbox = {
  label: 'Service d’essai',
  notice: 'Bac à sable\u00a0: service d’essai. Les personnes y sont fictives. N’y saisissez aucune donnée réelle.',
  more: 'En savoir plus',
  signInAs: 'Pour essayer, connectez-vous avec une personne fictive\u00a0:',
  withPassword: 'et le mot de passe',
  title: 'À propos de ce bac à sable',
  introduction: (service: string) =>
    `Ici, les intégrateurs essaient leurs applications avec ${service}, dans les conditions de la production mais sans personne réelle.`,
  facts: 'Ce qu’il faut savoir',
  people: 'Les comptes sont ceux de personnes inventées, ou de testeurs.',
  rights:
    'Rien de ce qui est signé ici ne vaut pour la production\u00a0: celle-ci a ses propres clés, comptes et jetons.',
  data: 'N’y mettez aucune donnée d’une personne réelle\u00a0: tout le monde peut s’y connecter.',
  lost: 'Les données peuvent être effacées à tout moment.',
  accounts: 'Se connecter',
  accountsAbout: 'Toutes ces personnes ont le même mot de passe\u00a0:',
  askOperator: 'Demandez un compte d’essai à l’équipe qui gère ce service.',
};
