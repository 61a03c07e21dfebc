// Environment variables are text: the clusters of the settings as one line of JSON.
module.exports.json = async ({ resolveVariable }) =>
  JSON.stringify(await resolveVariable('self:custom.settings.clusters'))
